"""The processes and folders of a run that shares the host's namespaces, as its host sees them."""
import os
import time
from pathlib import Path

from support import leftovers

# Three ways out of the payload's reach: another session, another parent, and a process that forks for ever.
DAEMONS = ("(setsid sh -c ': > $HOME/one; exec sleep 300' &); (setsid sh -c '(: > $HOME/two; exec sleep 301) & exit' &); "
           "until [ -e $HOME/one ] && [ -e $HOME/two ]; do sleep 0.01; done; echo ready")
HOPPING = "hop() { sleep 0.01; hop & }; hop & echo ready"


def stat_of(pid):
    """(state, parent), or None: it has ended, perhaps between one look and the next."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return state, int(parent)


def init_of(running):
    """init is the only child of the supervisor."""
    found = [pid for pid, _ in running.processes() if (stat_of(pid) or ("", 0))[1] == running.pid]
    assert len(found) == 1, found
    return found[0]


def private_folders(base="/tmp"):
    return {name for name in os.listdir(base) if name.startswith(".sbx-run-")}


def tree_of(running):
    """(init, keeper, all) of a live run."""
    init = init_of(running)
    below = {pid: name for (pid, _), name in leftovers.descendants(init).items()}
    keepers = [pid for pid, name in below.items() if name == "sandbox-keeper"]
    assert len(keepers) == 1, below
    return init, keepers[0], [init, *below]


def gone_within(pids, seconds):
    deadline = time.monotonic() + seconds
    while any((stat_of(pid) or ("Z", 0))[0] != "Z" for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
