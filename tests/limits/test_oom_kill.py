"""limits.oom_kill: whether the memory limit ends one process or all of them."""
import subprocess

import pytest

from support import slow

pytestmark = pytest.mark.needs("cgroup:memory")

# A child goes over the limit. Long after that, whoever is left says so.
SCRIPT = "{probe} memory-bomb 1024; sleep {seconds}; echo went on"
SECONDS = 2 * max(1, slow.FACTOR / 4)  # v1 is looked at every 20 ms, by a supervisor that others may hold up


def run_with(sbx, probe, what, script=SCRIPT, **options):
    return sbx.run(flags=[*probe.flags, "--memory", "64M", "--oom-kill", what], **options,
                   cmd=["sh", "-c", script.format(probe=probe.path, seconds=SECONDS)])


def test_the_whole_tree_ends(sbx, probe):
    run = run_with(sbx, probe, "tree", events=True)
    run.assert_status("oom", 137)
    assert run.out.count("went on") == 0 and run.result["memory"]["oom_kills"] >= 1, run
    assert run.result["wall_ms"] < 1000 * SECONDS + 1000 * slow.FACTOR, run
    assert "limits.oom_kill" in run.result["reason"]["text"] and run.result["reason"]["code"] == "memory_limit", run
    assert "oom-kill" in run.result["isolation"]["enforced"], run
    ours = [event for event in run.events if event["type"] == "signal_sent"]
    assert all(event["reason"] == "memory_limit" for event in ours), run.events


def test_control_the_command_goes_on_without_its_child(sbx, probe):
    run = run_with(sbx, probe, "process")
    run.assert_status("oom", 0)
    assert "went on" in run.out and "oom-kill" not in run.result["isolation"]["required"], run


def test_a_process_that_left_the_command_ends_too(sbx, probe):
    """Not only the payload: everything that runs in the sandbox. It shows that it lives by what it says."""
    script = "setsid sh -c 'while :; do echo alive; sleep 0.1; done' & {probe} memory-bomb 1024; sleep {seconds}; wait"
    run_with(sbx, probe, "tree", script).assert_status("oom", 137)


def test_without_the_limit_reached_nothing_ends(sbx, probe):
    """Not in the time of ten looks at the count of kills either (v1)."""
    run = sbx.run(flags=[*probe.flags, "--memory", "64M", "--oom-kill", "tree"],
                  cmd=["sh", "-c", f"{probe.path} memory-bomb 16; sleep 0.2; echo went on; exit 0"])
    run.assert_ok()
    assert "went on" in run.out, run


def protected():
    """As a service that its manager protects (OOMScoreAdjust=-1000), which all of its children are with it."""
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("-1000")


@pytest.fixture
def protected_caller(sbx, probe):
    """protected_caller(*flags, cmd=..., bare=False): by a caller that no OOM killer ends."""
    if subprocess.run(["sh", "-c", "echo -1000 >/proc/self/oom_score_adj"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this host does not have it: the right to protect a process from the OOM killer")

    def run(*flags, cmd, bare=False):
        words = [*cmd] if bare else [sbx.binary, "run", *sbx.degraded, *probe.flags, *flags, "--", *cmd]
        return subprocess.run(list(map(str, words)), cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              preexec_fn=protected, timeout=60 * slow.FACTOR, check=False)

    return run


READ_AND_LOWER = "cat /proc/$$/oom_score_adj; { echo -500 >/proc/$$/oom_score_adj; } 2>/dev/null; cat /proc/$$/oom_score_adj"


def test_the_callers_protection_is_not_the_commands(protected_caller):
    """Nor can it be taken back, where the host's root has taken it away."""
    command = ["sh", "-c", READ_AND_LOWER]
    assert protected_caller(cmd=command, bare=True).stdout.split() == ["-1000", "-500"]
    done = protected_caller("--landlock", "off", cmd=command)
    assert done.returncode == 0 and done.stdout.split() == ["0", "0"], done


def test_the_memory_limit_ends_a_command_of_a_protected_caller(protected_caller, probe):
    done = protected_caller("--memory", "64M", "--timeout", "20s", cmd=[probe.path, "memory-bomb", "1024"])
    assert done.returncode == 137, done
