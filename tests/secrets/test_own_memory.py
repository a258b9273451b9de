"""While it has secrets, the supervisor's memory is nobody's: no debugger's, no core file's."""
import os
import signal
import subprocess

import pytest

from support import features

FLAGS = ["--secret", "k=env:SBX_TEST_SECRET"]
WAIT = ["sh", "-c", "echo ready; sleep 30"]


def opens(pid, name, privileged=False):
    """By the same user without any privilege: root's could read whatever it likes."""
    command = ["cat", f"/proc/{pid}/{name}"] if name != "mem" else \
        ["dd", "status=none", "count=1", f"if=/proc/{pid}/mem", "skip=4194304", "bs=1", "iflag=skip_bytes"]
    if features.is_root() and not privileged:
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    return subprocess.run(command, capture_output=True)


@pytest.mark.parametrize("name", ["mem", "environ", "maps", "auxv"])
def test_nobody_of_the_same_user_may_read_it(sbx, value, name):
    run = sbx.spawn(flags=FLAGS, cmd=WAIT)
    run.read_until(b"ready")
    refused = opens(run.process.pid, name)
    assert b"ermission denied" in refused.stderr and not refused.stdout, refused
    run.signal(signal.SIGTERM)
    run.wait()


@pytest.mark.parametrize("name", ["maps", "environ"])
def test_without_secrets_it_can_be_read(sbx, value, name):
    run = sbx.spawn(cmd=WAIT)
    run.read_until(b"ready")
    # Of root's processes the privileges alone keep others out.
    assert opens(run.process.pid, name, privileged=True).stdout
    run.signal(signal.SIGTERM)
    run.wait()


@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGABRT])
def test_no_core_file_is_left(sbx, value, how):
    run = sbx.spawn(flags=FLAGS, cmd=WAIT)
    run.read_until(b"ready")
    os.kill(run.process.pid, how)
    _, status = os.waitpid(run.process.pid, 0)
    run.process.returncode = -os.WTERMSIG(status)
    sbx.killed = True
    assert os.WTERMSIG(status) == how and not os.WCOREDUMP(status)
    assert not [name for name in os.listdir(sbx.cwd) if "core" in name]
    run.process.stdout.close()
