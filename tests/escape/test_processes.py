"""The payload cannot signal a process outside."""
import os
import subprocess

import pytest

from escape.attacks import Attack, test_contained, test_works_without_its_walls  # noqa: F401

ATTACKS = [
    Attack("cannot_signal_a_process_of_the_host", "signal {victim}", bare="any"),
    Attack("cannot_signal_its_supervisors_parent", "signal {tests}", bare="any"),
]


@pytest.fixture
def scene():
    with subprocess.Popen(["sleep", "60"]) as victim:
        yield {"victim": victim.pid, "tests": os.getpid()}
        assert victim.poll() is None, "the victim did not survive"
        victim.kill()


def test_a_signal_to_all_reaches_nobody_outside(sbx, probe, scene):
    """kill(-1): everything that the payload may signal. The victim is asked after the run."""
    run = sbx.run(flags=probe.flags, cmd=[probe.path, "signal-all"])
    assert run.code == 0 and run.out.startswith("contained: "), run
