"""What the processes of one live sandbox take, without its payload: the proportional share (PSS) of what they map."""
import os
import time
from contextlib import contextmanager
from pathlib import Path

from .bench import INSIDE

HOLD = [INSIDE, "hold"]
BUDGET_MS = 20000  # then there are as many as came up
SETTLED_S = 0.2  # of a sandbox that lives, not of one that starts


@contextmanager
def held(bench, tool, count):
    """`count` sandboxes that wait; the process ids of their launchers."""
    tool.slots(count + 1)  # spawn hold counts slots from 1: 0 is for who starts beside them
    process = bench.spawn(tool, "hold", HOLD, count, BUDGET_MS, patient=True)
    pids = []
    for line in process.stdout:
        if line.strip() == "up":
            break
        pids.append(int(line))
    try:
        yield pids
    finally:
        process.communicate()


def children():
    """Process id -> those of its children, over the whole machine."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            parent = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue  # gone meanwhile
        found.setdefault(parent, []).append(int(folder.name))
    return found


def family_of(pids):
    """These processes and all that descend from them."""
    all_children, members = children(), list(pids)
    for member in members:
        members += all_children.get(member, [])
    return members


def is_payload(pid):
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return os.path.basename(words[0]) == b"inside"


def pss_kib(pid):
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def footprint(pids):
    """Of the sandboxes with these launchers, each: how many processes, and their KiB; None: we may not look."""
    processes = kib = 0
    try:
        for member in family_of(pids):
            if not is_payload(member):
                processes += 1
                kib += pss_kib(member)
    except OSError:
        return None
    return {"processes": processes / len(pids), "kib": kib / len(pids)}


def measure(bench):
    results = {}
    for tool in bench.working("memory", ["/bin/true"]):
        if tool.name == "no sandbox":
            continue
        with held(bench, tool, 1) as pids:
            if not pids:
                bench.note(f"{tool.name}: a sandbox that waits did not come up; left out of memory.")
                continue
            time.sleep(SETTLED_S)
            if found := footprint(pids):
                results[tool.name] = found
            else:
                bench.note("Whose processes hide from us is left out of memory: root sees them all.")
    return results
