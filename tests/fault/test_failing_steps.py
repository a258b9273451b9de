"""A failure at every step of several plans: told with its step and errno, nothing started, nothing left.

That nothing is left (processes, mounts, cgroups, files) is what the `sbx` fixture checks after all
the runs of a test.
"""
import errno
import json
import os
import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

ERRORS = [errno.EPERM, errno.EIO, errno.ENOSPC, errno.EXDEV, errno.EAGAIN, errno.EINTR, errno.EPIPE, errno.ECONNRESET]
AT_ONCE = 3
LEFT = 42  # what the probe says when it could leave its file

PLANS = {
    "default": "version: 1\n",
    "python-like": """\
version: 1
mounts:
  - {bind: ./work, at: /data}
  - {bind: ./work, at: /maybe, optional: true}
  - {tmpfs: /scratch, size: 16M, inodes: 1000, exec: false}
  - {file: /etc/app.ini, content: "debug=0\\n"}
  - {file: /data/inside.ini, content: "debug=1\\n"}
mask: ["/data/secret", "/data/*.pem"]
tools: [sh]
env: {set: {HOME: /scratch}}
limits: {cpus: 1, cpu: 30s, rlimits: {nofile: 256, fsize: 10M}}
""",
    "overlay": "version: 1\nworkspace: {source: ., mode: overlay, size: 16M}\nseccomp: {on_deny: kill}\n",
    "network-with-a-list": """\
version: 1
network: {allow: ["example.org:443", "udp:example.org:5000", "*.example.org:8000-8999"], host_ports: [5432]}
""",
    "terminal": "version: 1\nstdio: {tty: always}\n",
    "clock-and-host-network": "version: 1\nnamespaces: {time: {monotonic: 1h}}\nnetwork: host\nroot: empty\n",
}


@pytest.fixture
def busy():
    """Processors that have always something to do."""
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in os.sched_getaffinity(0)]
    yield
    for other in others:
        other.kill()
        other.wait()


class Failing:
    """One plan, ready to be broken at any of its steps."""

    def __init__(self, sbx, weakened, probe, text):
        self.sbx, self.weakened, self.probe = sbx, weakened, probe
        self.out = sbx.folder / "out"
        self.out.mkdir()
        (sbx.cwd / "secret").write_text("secret")
        (sbx.cwd / "key.pem").write_text("secret")
        (sbx.cwd / "inside.ini").write_text("")
        self.profile = sbx.profile(text)
        self.flags = [*probe.flags, "--rw", f"{self.out}:/out"]

    def command(self, name):
        return [self.probe.path, "leave-file", f"/out/{name}"]

    def steps(self):
        run = self.sbx.call("explain", self.profile, *self.sbx.degraded, *self.flags, "--json", "--",
                            *self.command("x"))
        assert run.code == 0, run
        return json.loads(run.stdout)["steps"]

    def started(self, index):
        return (self.out / str(index)).exists()

    def check(self, index, phase, count):
        """Runs with a failure before step `index`; returns what is wrong, or None."""
        error = ERRORS[index % len(ERRORS)]
        run = self.weakened.run(self.profile, self.flags, self.command(index),
                                env={"SBX_TEST_FAIL_AT": f"{index}:{error}"})
        expected = f"sbx: step {index + 1}/{count + 1}: "
        line = next((text for text in run.err.splitlines() if text.startswith("sbx: step")), "")
        problems = []
        if run.code != 125:
            problems.append("exit code")
        if not line.startswith(expected) or f"({errno.errorcode[error]})" not in line:
            problems.append(f"no line {expected!r} with {errno.errorcode[error]}")
        # init gives up its own rights after the fork: by then the payload may be running already, and
        # it ends with init.
        told = run.status, run.result["phase"]
        if told != ("setup_error", "setup") and (phase, *told) != ("guard", "internal_error", "run"):
            problems.append("result")
        if self.started(index) and told[0] == "setup_error":
            problems.append("the payload ran")
        return f"step {index + 1} ({phase}): {', '.join(problems)}\n{run}" if problems else None


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_a_failure_at_any_step_is_told_and_leaves_nothing(sbx, weakened, probe, name):
    failing = Failing(sbx, weakened, probe, PLANS[name])
    steps = failing.steps()
    weakened.run(failing.profile, failing.flags, failing.command("works")).assert_nonzero(LEFT)
    assert failing.started("works"), "the test's own marker does not work"
    assert {step["phase"] for step in steps} >= {"clone", "attend", "init", "payload", "guard"}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        problems = list(pool.map(lambda i: failing.check(i, steps[i]["phase"], len(steps)), range(len(steps))))
    problems = [text for text in problems if text]
    assert not problems, f"{len(problems)} of {len(steps)} steps:\n" + "\n".join(problems[:5])


def test_a_failure_ends_the_run_at_once(sbx, weakened, probe):
    """No timeout is waited for, whoever fails."""
    failing = Failing(sbx, weakened, probe, PLANS["default"])
    steps = failing.steps()
    for phase in ("attend", "init", "payload", "guard"):
        index = next(i for i, step in enumerate(steps) if step["phase"] == phase)
        run = weakened.run(failing.profile, failing.flags, ["sleep", "30"],
                           env={"SBX_TEST_FAIL_AT": f"{index}:{errno.EIO}"})
        assert run.code == 125 and run.seconds < 5, run


def test_a_command_that_was_executed_is_not_told_as_one_that_was_not(sbx, weakened, probe, busy):
    """init, which goes on beside it, fails last: when the command is there, where processors are busy (umount2(2))."""
    failing = Failing(sbx, weakened, probe, PLANS["default"])
    index = max(i for i, step in enumerate(failing.steps()) if step["phase"] == "guard")
    told = set()
    for _ in range(200):
        if len(told) == 2:
            break
        run = weakened.run(failing.profile, failing.flags, ["sleep", "30"], events=True,
                           env={"SBX_TEST_FAIL_AT": f"{index}:{errno.EIO}"})
        started = "start" in [event["type"] for event in run.events]
        assert run.code == 125 and f"step {index + 1}/" in run.err and "(EIO)" in run.err, run
        assert (run.status, run.result["phase"]) == (("internal_error", "run") if started else ("setup_error", "setup")), run
        assert started == ("when the command was executed already" in run.err), run
        assert run.result["reason"]["code"] == ("init_died" if started else "setup_failed"), run
        told.add(started)
    assert True in told, "init was always first"


def test_json_tells_the_step_too(sbx, weakened, probe):
    failing = Failing(sbx, weakened, probe, PLANS["default"])
    index = next(i for i, step in enumerate(failing.steps()) if step["phase"] == "init")
    run = weakened.run(failing.profile, failing.flags, failing.command("json"), json=True,
                       env={"SBX_TEST_FAIL_AT": f"{index}:{errno.EIO}"})
    assert run.code == 125 and run.result["status"] == "setup_error"
    assert re.match(rf"step {index + 1}/\d+: .*\(EIO\)", run.result["reason"]["text"])
    assert run.result["exit_code"] is None and run.result["output"]["stdout"]["bytes"] in (0, None)


@pytest.mark.parametrize("without, step", [("pivot_root", "wait for the new root"),
                                           ("pivot_root,drop_old_root", "wait for the new root"),
                                           ("drop_old_root", "wait until init is ready")])
def test_a_payload_that_could_reach_the_hosts_tree_never_runs(weakened, without, step):
    """init enters the new root, takes the payload along, and drops the old one; where one of these fails, the
    payload has to notice by itself."""
    cmd = ["sh", "-c", "echo started"]
    weakened.run(flags=["--workdir", "/"], cmd=cmd, env={"SBX_TEST_WITHOUT": without}).assert_refused(step, "EXDEV")
    assert b"started" in weakened.run(flags=["--workdir", "/"], cmd=cmd).assert_ok().stdout


def children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []  # it has ended


def test_a_payload_that_is_killed_in_the_set_up_is_what_is_told(sbx):
    """However early: init, which finds nobody at the other end, has not failed."""
    killed = 0
    for _ in range(60):
        running = sbx.spawn(cmd=["true"])
        payloads = []
        while not payloads and running.process.poll() is None:
            payloads = [child for init in children(running.pid) for child in children(init)]
        for payload in payloads:
            with suppress(ProcessLookupError):
                os.kill(payload, signal.SIGKILL)
        run = running.wait()
        killed += run.code == 125
        assert "Broken pipe" not in run.err and "reset by peer" not in run.err, run
        assert run.code != 125 or "killed" in run.err, run
    assert killed > 30
