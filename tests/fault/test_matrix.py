"""Hosts that lack something, made by real means. On each, `sbx doctor` names the cause, and `sbx run` works fully or
ends with 125 and that cause; never something between."""
import errno
import json
import os
import resource
import subprocess
from dataclasses import dataclass
from typing import Callable

import jsonschema
import pytest

from fault import containers, hosts
from support.cache import CACHE

PAYLOAD = ["sh", "-c", "echo be''gun"]  # what it prints stands in no command line
WORKS = ()  # what a run says where it works
NEEDS_ROOT = pytest.mark.needs("root")
NEEDS_USER = pytest.mark.needs("user")


@dataclass
class Host:
    """`make` runs between fork and exec; `inside(binary, folder)` gives a function that runs words in a container."""
    feature: str = ""  # that doctor calls refused; empty: none
    cause: str = ""
    said: tuple = WORKS  # words of the run's error; WORKS: it works
    make: Callable = None
    inside: Callable = None
    degraded: tuple = ()  # controls that a run reports as missing where it is allowed to go on


def filtered(call, error, feature="system calls"):
    return Host(feature, f"a seccomp filter around sbx refuses {call} ({hosts.name_of(error)})", ("seccomp filter", call),
                make=hosts.refusing([call], error))


HOSTS = {
    "plain": Host(),
    "no-user-namespaces": Host("user namespace", "user.max_user_namespaces is 0", ("max_user_namespaces is 0", "sysctl -w"),
                               make=hosts.no_user_namespaces),
    "masked-proc": Host("proc", "parts of /proc are covered (", ("/proc/irq", "proc at /proc"),
                        make=hosts.masked_proc),
    "no-proc": Host("user namespace", "no procfs of our own pid namespace is at /proc", ("/proc cannot be read", "mount -t proc"), make=hosts.no_proc),
    "read-only-sys": Host(make=hosts.read_only_sys),
    "no-ptys": Host("pty", "there is no /dev/ptmx", make=hosts.no_terminals),
    "no-landlock": Host("landlock", "landlock_create_ruleset: ENOSYS",
                        make=hosts.refusing(["landlock_create_ruleset"], errno.ENOSYS)),
    "no-landlock-at-boot": Host("landlock", "Landlock is built in but not switched on",
                                make=hosts.refusing(["landlock_create_ruleset"], errno.EOPNOTSUPP)),
    "a-listener-around-us": Host("seccomp notify", "has a listener already", make=hosts.listened),
    "few-processes": Host("", "1 processes (ulimit -u)", ("1 processes (ulimit -u)", "EAGAIN"),
                          make=hosts.few_processes),
    "few-files": Host("", "files may be open (ulimit -n)", ("only 8 files may be open", "ulimit -n"),
                      make=hosts.few_files(8)),
    "read-only-proc": Host("user namespace", "/proc is read-only here", ("/proc is read-only here", "EROFS"),
                           make=hosts.read_only_proc),
    "no-children-waited-for": Host(make=hosts.ignoring_children),
    "no-home": Host(make=hosts.no_home),
    "killing-filter": Host("system calls", "a seccomp filter around sbx refuses pivot_root (kills)",
                           ("seccomp filter", "pivot_root (kills)"), make=hosts.killing(["pivot_root"])),
    **{f"no-{call}-{hosts.name_of(error)}": filtered(call, error) for error in (errno.EPERM, errno.ENOSYS)
       for call in ("clone3", "unshare", "setns", "open_tree", "move_mount", "mount_setattr", "fsopen", "fsmount", "openat2",
                    "pivot_root", "seccomp", "close_range", "capset", "sethostname", "setsid")},
}
BWRAP_USER = ["--uid", "1000", "--gid", "1000"]
ROOT_HOSTS = {
    "chroot": Host("user namespace", "sbx is in a chroot", ("in a chroot", "pivot_root"),
                   inside=lambda binary, folder: containers.chroot(binary, folder)),
    "docker": Host("user namespace", "a seccomp filter around sbx refuses clone3 (ENOSYS), clone (EPERM), unshare (EPERM)",
                   ("seccomp filter", "docker run --security-opt seccomp=unconfined"),
                   inside=lambda binary, folder: containers.docker(binary, folder, CACHE)),
    "docker-user": Host("user namespace", "a seccomp filter around sbx refuses clone3 (ENOSYS)",
                        ("seccomp filter", "docker run --security-opt seccomp=unconfined"),
                        inside=lambda binary, folder: containers.docker(binary, folder, CACHE, uid=1000)),
    "docker-unfiltered": Host("proc", "parts of /proc are covered",
                              ("parts of /proc are covered", "systempaths=unconfined"),
                              inside=lambda binary, folder: containers.docker(binary, folder, CACHE, uid=1000, filtered=False)),
    "docker-unconfined": Host(inside=lambda binary, folder: containers.docker(binary, folder, CACHE, uid=1000, filtered=False,
                                                                              masked=False)),
    "docker-unconfined-root": Host(inside=lambda binary, folder: containers.docker(binary, folder, CACHE, filtered=False,
                                                                                   masked=False)),
    # Its /proc/sys is read-only, which our own is not.
    "nspawn": Host(inside=lambda binary, folder: containers.nspawn(binary, folder)),
    # Started by root it covers parts of its /proc.
    "bubblewrap": Host("proc", "parts of /proc are covered", ("parts of /proc are covered", "--bind /proc /proc"),
                       inside=lambda binary, folder: containers.bubblewrap(binary, *BWRAP_USER)),
    "bubblewrap-root": Host("user namespace", "root of this user namespace has few ids", ("has few ids", "--uid 1000"),
                            inside=lambda binary, folder: containers.bubblewrap(binary)),
}
USER_HOSTS = {"bubblewrap-user": Host(inside=lambda binary, folder: containers.bubblewrap(binary))}
OTHER_HOSTS = {
    "bubblewrap-whole-proc": Host(inside=lambda binary, folder: containers.bubblewrap(binary, *BWRAP_USER,
                                                                                      proc="--bind /proc /proc")),
    "sbx": Host("user namespace", "inside of a sandbox of sbx", ("inside of a sandbox of sbx", "start it outside"),
                inside=lambda binary, folder: lambda words: subprocess.run(
                    [binary, "run", "--degrade", "cgroup", "--no-tty", "--workspace", str(folder), "--ro", f"{binary}:/opt/sbx", "--",
                     "/opt/sbx", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)),
}


# Without namespaces, but with all that tier `landlock` is made of. The others lack a call that every tier needs, or /proc.
SHARED = {"no-user-namespaces", "masked-proc", "read-only-proc", "killing-filter", "chroot", "docker", "docker-user",
          "docker-unfiltered", "bubblewrap",
          *(f"no-{call}-{error}" for error in ("EPERM", "ENOSYS")
            for call in ("clone3", "unshare", "setns", "sethostname", "open_tree", "move_mount", "mount_setattr", "fsopen", "fsmount", "pivot_root"))}


def parameters():
    for marks, group in (((), HOSTS), ((NEEDS_ROOT,), ROOT_HOSTS), ((NEEDS_USER,), USER_HOSTS), ((), OTHER_HOSTS)):
        for name, host in group.items():
            yield pytest.param(host, id=name, marks=marks)


@pytest.fixture
def call(request, sbx):
    """call(host)(words): what sbx does there, as a completed process."""

    def on(host):
        if host.inside:
            folder = sbx.folder / "container"
            folder.mkdir(exist_ok=True)
            return host.inside(sbx.binary, folder)
        return lambda words: subprocess.run([sbx.binary, *words], cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True,
                                            text=True, preexec_fn=host.make, timeout=60)

    return on


@pytest.mark.parametrize("host", parameters())
def test_the_doctor_names_the_cause(sbx, call, host):
    ask = call(host)
    done = ask(["doctor", "--json"])
    assert done.returncode in (0, 125) and not done.stderr, done
    told = json.loads(done.stdout)
    jsonschema.Draft202012Validator(json.loads(sbx.call("schema", "doctor").stdout)).validate(told)
    assert (done.returncode == 0) == told["default"]["starts"], told
    features = {feature["name"]: feature for feature in told["features"]}
    refused = {name: f for name, f in features.items() if f["verdict"] == "refused" and f["needed"] != "sometimes"}
    if host.feature:
        named = features[host.feature]
        assert named["verdict"] == "refused" and host.cause in (named["cause"] or ""), named
        assert named["fix"], named
    elif host.cause:
        assert host.cause in told["default"]["error"], told["default"]
    if host.said == WORKS:
        assert not {name for name in refused if refused[name]["needed"] == "always"}, refused
    if host == HOSTS["plain"]:
        # What no run needs is tried for real as well: nothing but nodes may be missing here.
        lacking = {name for name, f in features.items() if f["verdict"] == "refused"}
        assert lacking <= {"tun", "kvm", *(set() if os.geteuid() == 0 else {"pty"})}, lacking
    # Whatever is refused has a reason that somebody can act on.
    assert all(f["cause"] for f in refused.values()), refused
    text = ask(["doctor"]).stdout
    assert "\x1b" not in text
    if host.cause:
        assert host.cause in text, text
    last = [line for line in text.splitlines() if line.startswith("tier ")]
    assert len(last) == 1, text


@pytest.mark.parametrize("host", parameters())
def test_a_run_works_fully_or_says_why(sbx, call, host):
    done = call(host)(["run", "--degrade", "cgroup", "--json", "--", *PAYLOAD])
    result = json.loads(done.stdout)
    if host.said == WORKS:
        whole = sbx.run(flags=["--degrade", "cgroup", "--stdin", "null"], cmd=PAYLOAD).assert_ok()
        assert done.returncode == 0 and result["status"] == "ok", done
        assert result["output"]["stdout"]["text"] == "begun\n"
        limits = {"memory", "pids", "cpu-time", "cgroup", "landlock"}
        assert set(result["isolation"]["enforced"]) - limits == set(whole.result["isolation"]["enforced"]) - limits
        return
    assert done.returncode == 125 and result["status"] == "setup_error", done
    assert "begun" not in done.stdout, done
    lines = [line for line in done.stderr.splitlines() if not line.startswith("sbx: degraded:")]
    assert 2 <= len(lines) <= 6 and all(line.startswith("sbx: ") for line in lines), done.stderr
    for words in host.said:
        assert words in done.stderr, f"{words!r} is not in\n{done.stderr}"
        assert words in result["reason"]["text"], result["reason"]


@pytest.mark.parametrize("host", parameters())
def test_the_declared_degradation_works_or_says_why(sbx, call, host, request, open_folder):
    """Nothing weaker than it says: where namespaces are to be had they are taken, where Landlock cannot stand in for them
    nothing starts."""
    name = request.node.callspec.id
    done = call(host)(["run", "--degrade", "cgroup", "--degrade", "userns", "--json", "--", *PAYLOAD])
    result = json.loads(done.stdout)
    isolation = result["isolation"]
    if done.returncode == 0:
        assert result["output"]["stdout"]["text"] == "begun\n"
        shared = isolation["tier"] == "landlock"
        assert shared == (name in SHARED), (name, isolation)
        assert shared == ("userns" in isolation["degraded"]) == ("namespaces" not in isolation["enforced"])
        assert set(isolation["required"]) <= set(isolation["enforced"]) | set(isolation["degraded"])
        return
    assert name not in SHARED and host.said != WORKS, (name, done.stderr)
    assert done.returncode == 125 and result["status"] == "setup_error" and "begun" not in done.stdout, done
    lines = [line for line in done.stderr.splitlines() if not line.startswith("sbx: degraded:")]
    assert 2 <= len(lines) <= 6 and all(line.startswith("sbx: ") for line in lines), done.stderr


@pytest.mark.parametrize("call", ["sethostname", "setns", "unshare", "pivot_root", "move_mount"])
def test_whoever_is_killed_while_it_sets_up_is_named(sbx, call):
    """init and payload set up side by side: the step of the one who was killed, not of the one who noticed."""
    for _ in range(10):
        done = subprocess.run([sbx.binary, "run", "--degrade", "cgroup", "--", "true"], cwd=sbx.cwd, capture_output=True,
                              text=True, preexec_fn=hosts.killing([call]), timeout=60)
        assert done.returncode == 125 and f"refuses {call} (kills)" in done.stderr, done
        assert "killed while at it" in done.stderr, done


def test_the_doctor_leaves_no_core_file(sbx):
    def make():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        hosts.killing(["pivot_root"])()

    subprocess.run([sbx.binary, "doctor"], cwd=sbx.cwd, capture_output=True, preexec_fn=make, timeout=60)
    assert [path.name for path in sbx.cwd.iterdir()] == []


def test_a_filter_that_kills_whoever_makes_a_namespace(sbx):
    sbx.killed = True  # the supervisor of the doctor's run
    done = subprocess.run([sbx.binary, "doctor", "--json"], cwd=sbx.cwd, capture_output=True, text=True, timeout=60,
                          preexec_fn=hosts.killing(["clone3"]))
    features = {feature["name"]: feature for feature in json.loads(done.stdout)["features"]}
    assert done.returncode == 125 and "refuses clone3 (kills)" in features["user namespace"]["cause"], done


def test_what_is_called_harmless_is_so(sbx):
    """Without a filter every call of the doctor's list gives the answer that the list expects: with one that
    allows everything, nothing is called refused."""
    done = subprocess.run([sbx.binary, "doctor", "--json"], cwd=sbx.cwd, capture_output=True, text=True, timeout=60,
                          preexec_fn=hosts.refusing([], errno.EPERM))
    assert json.loads(done.stdout)["refused_calls"] == []


def test_what_the_doctor_tries_leaves_nothing(sbx):
    """The fixture's own watch looks for processes, mounts and groups that stay behind."""
    for _ in range(3):
        sbx.call("doctor")
