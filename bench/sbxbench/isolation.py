"""What each tool gives, seen from inside by a program of ours."""
import tempfile

from pathlib import Path

from .bench import INSIDE
from .memory import family_of, held, is_payload

NAMESPACES = ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup")
PLACES = ("/", "/usr", "/etc", "/home", "/root", "/run", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/workspace",
          "/proc/sys")


def read(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def user_outside(bench, tool):
    """As the host sees it: from inside, the map of a nested user namespace tells only its own parent's."""
    with held(bench, tool, 1) as pids:
        for member in family_of(pids):
            if is_payload(member):
                return Path(f"/proc/{member}/status").read_text().partition("\nUid:")[2].split()[0]
    return "?"


def look(facts, host):
    def differs(name):
        key = f"ns_{name}"
        return facts.get(key, "?") not in ("?", host.get(key))

    return {
        "namespaces": [name for name in NAMESPACES if differs(name)],
        "capabilities": int(facts.get("CapEff", "0"), 16) != 0,
        "bounding": int(facts.get("CapBnd", "0"), 16) != 0,
        "no_new_privs": facts.get("NoNewPrivs") == "1",
        "seccomp": facts.get("Seccomp") == "2",
        "fresh_tmp": facts.get("canary") == "0",
        "writable": [place for place in PLACES if facts.get(f"write {place}") == "1"],
        "writable_mounts": int(facts.get("writable_mounts", 0)),
        "mounts": int(facts.get("mounts", 0)),
        "processes": int(facts.get("processes", 0)),
        "interfaces": int(facts.get("interfaces", 0)),
    }


def measure(bench):
    """Name -> what it looks like inside."""
    results, host = {}, None
    with tempfile.NamedTemporaryFile(prefix="bench-", dir="/tmp") as canary:
        for tool in bench.tools:
            if not tool.in_part("isolation"):
                continue
            run = bench.try_out(tool, [INSIDE, "probe", canary.name, *PLACES])
            if run.returncode != 0:
                said = " ".join(run.stderr.split())[-300:]
                bench.note(f"{tool.name} cannot be looked at from inside ({run.returncode}): {said}")
                continue
            facts = read(run.stdout)
            host = host or facts  # the first row is without a sandbox
            results[tool.name] = {**look(facts, host), "user": user_outside(bench, tool)}
    return results
