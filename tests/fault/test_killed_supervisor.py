"""SIGKILL of the supervisor at random moments: nothing of the run lives on, and the next run sweeps
what only a living process could have removed."""
import os
import random
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support import cgroups, leftovers, slow
from support.waiting import children_of, state_of, wait_until

# Each costs half a second where systemd is asked for a scope under emulation.
KILLS = int(os.environ.get("SBX_TEST_KILLS", "500" if slow.FACTOR < 2 else "120"))
SEED = int(os.environ.get("SBX_TEST_SEED", "20260722"))
BATCH = 25

DEFAULT = "version: 1\n"
PROFILES = [DEFAULT, "version: 1\nstdio: {tty: always}\nworkspace: {mode: overlay}\n"]


def moments(count, seed, set_up):
    """When to kill, in seconds after exec: most during the set-up, the rest while the payload runs."""
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.uniform(0, set_up) if chance.random() < 0.8 else set_up + chance.uniform(0, 0.034)


def whole_run(sbx):
    """How long a run without a payload worth the name takes here: its set-up, and a little more."""
    return min(sbx.run(cmd=["true"]).assert_ok().seconds for _ in range(5))


def kill_after(argv, cwd, seconds, look=None):
    process = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(seconds)
    if look:
        look()
    process.kill()
    process.wait()


class Remains:
    """What killed supervisors leave, batch for batch: at first nothing that runs, then, after one more run,
    nothing at all. The user's systemd manager, where the groups are its scopes, has the same time."""

    def __init__(self, sbx):
        self._sbx = sbx
        self._groups = cgroups.groups_of_runs()
        self._watch = leftovers.Watch()
        self.seen = set()  # groups that were there when their supervisor was killed

    def look(self):
        self.seen |= cgroups.groups_of_runs() - self._groups

    def check(self, when):
        problems = self._watch.problems(swept=False)
        assert not problems, f"{when}, seed {SEED}:\n" + "\n".join(problems)
        leftovers.reap_orphans("sbx", set())
        self._sbx.run(cmd=["true"]).assert_ok()
        problems = self._watch.problems()
        assert not problems, f"{when} and one more run, seed {SEED}:\n" + "\n".join(problems)


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES, ids=["default", "overlay-and-terminal"])
def test_nothing_outlives_a_killed_supervisor(sbx, probe, profile):
    remains, set_up = Remains(sbx), whole_run(sbx)
    argv = [sbx.binary, "run", sbx.profile(profile), *sbx.degraded, "--timeout", "none", *probe.flags, "--",
            probe.path, "ignore-signals", "20000", "killed-supervisor"]
    started = time.monotonic()
    for number, seconds in enumerate(moments(KILLS // len(PROFILES), SEED, set_up), 1):
        # It takes a while to look, which during the set-up would make each kill late.
        kill_after(argv, sbx.cwd, seconds, remains.look if seconds > set_up else None)
        if number % BATCH == 0:
            remains.check(f"kill {number}")
    remains.check("the last kill")
    # Else there was no group yet, or none any more, whenever a kill came, and nothing was shown.
    assert len(remains.seen) > KILLS // len(PROFILES) // 20 or sbx.degraded, remains.seen
    assert time.monotonic() - started < 120 * min(slow.FACTOR, 2), "too slow for the suite"


@pytest.mark.parametrize("words,said", [([], "it went on\n"), (["setpriv", "--pdeathsig", "TERM"], "")])
def test_a_run_ends_with_its_caller_where_it_is_told_to(sbx, words, said):
    """The command goes on when the caller has gone, if anything of it is left to see that."""
    command = ["sh", "-c", "echo up; until test -e gone; do sleep 0.02; done; echo it went on"]
    run = shlex.join([*words, str(sbx.binary), "run", *sbx.degraded, "--", *command])
    caller = subprocess.Popen(["sh", "-c", f"{run} & wait"], cwd=sbx.cwd, stdout=subprocess.PIPE, text=True)
    assert caller.stdout.readline() == "up\n"
    caller.kill()
    caller.wait()  # its children have the signal, if they are to have one
    if said:
        (sbx.cwd / "gone").touch()
    assert caller.stdout.read() == said  # to its end: whoever had it open is gone


@pytest.mark.needs("cgroup:cpu", "cgroup:cpuset")
def test_groups_of_one_that_is_killed_while_it_makes_them_are_found(sbx):
    """By a run that has none beside them, on v1. Each lock of a group takes so long that it is seen."""
    before, registry = cgroups.groups_of_runs(), Path(os.environ["XDG_RUNTIME_DIR"], "sbx")
    slowed = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:delay_enter=200000"]
    tracer = subprocess.Popen([*slowed, sbx.binary, "run", *sbx.degraded, "--cpus", "1", "--cpuset", "0", "--", "true"],
                              cwd=sbx.cwd, stdin=subprocess.DEVNULL)
    place = str(cgroups.find("cpu").mount)
    wait_until(lambda: any(group.startswith(place + "/") for group in cgroups.groups_of_runs() - before), "it makes none")
    supervisor, = children_of(tracer.pid)
    tree = children_of(supervisor)
    sbx.killed = True
    os.kill(int(supervisor), signal.SIGKILL)
    tracer.wait(20)
    wait_until(lambda: all(state_of(pid)[0] in "XZ" for pid in tree), "they live")
    sbx.run(cmd=["true"]).assert_ok()
    assert not cgroups.groups_of_runs() - before and os.listdir(registry) == []
