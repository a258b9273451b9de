"""The payload cannot type into the caller's terminal, nor find it."""
import fcntl
import os
import subprocess
import termios

import pytest

from escape.attacks import CONTAINED, ESCAPED, Attack, test_contained, test_works_without_its_walls  # noqa: F401
from support.terminal import Terminal

ATTACKS = [
    # Its session's leader would be the caller's shell.
    Attack("is_in_a_session_of_its_own", "session", walls=("new_session",)),
]


@pytest.fixture
def terminal():
    tty = Terminal()
    yield tty
    tty.close_side()
    tty.close()


def run_on(terminal, argv, cwd, env=None, stdio=True):
    """Runs argv as a shell would on this terminal; with stdio=False it is the controlling terminal only."""
    side = terminal.side

    def adopt():
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)

    files = dict(stdin=side, stdout=side, stderr=side) if stdio else dict(
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process = subprocess.Popen(argv, cwd=cwd, preexec_fn=adopt, env={**os.environ, **(env or {})}, pass_fds=[side],
                               **files)
    if stdio:
        return process, terminal.drain(process, 30)
    return process, process.communicate(timeout=30)[0]


def typed(terminal):
    """What waits to be read on the caller's side: input that nobody typed was injected."""
    attributes = termios.tcgetattr(terminal.side)
    attributes[3] &= ~(termios.ICANON | termios.ECHO)
    attributes[6][termios.VMIN], attributes[6][termios.VTIME] = 0, 1
    termios.tcsetattr(terminal.side, termios.TCSANOW, attributes)
    return os.read(terminal.side, 100)


def sandboxed(program, probe, *verb):
    return [program.binary, "run", *program.degraded, *probe.flags, "--", probe.path, *verb]


@pytest.mark.parametrize("verb", [["tiocsti"], ["tiocsti", "high-bits"], ["tioclinux"], ["tioclinux", "high-bits"]],
                         ids="-".join)
def test_cannot_type_into_the_terminal(sbx, probe, terminal, verb):
    process, output = run_on(terminal, sandboxed(sbx, probe, *verb), sbx.cwd)
    assert process.returncode == CONTAINED and b"errno=EPERM" in output, output
    assert b"!" not in typed(terminal)


@pytest.mark.parametrize("verb", [["tiocsti"], ["tiocsti", "high-bits"], ["tioclinux"], ["tioclinux", "high-bits"]],
                         ids="-".join)
def test_control_without_the_filter_the_calls_reach_the_terminal(weakened, probe, terminal, verb):
    process, output = run_on(terminal, sandboxed(weakened, probe, *verb), weakened.cwd,
                             {"SBX_TEST_WITHOUT": "install_seccomp"})
    if b"errno=EIO" in output:
        pytest.skip("this kernel refuses TIOCSTI to everybody (dev.tty.legacy_tiocsti)")
    assert process.returncode == ESCAPED, output


def test_a_private_terminal_keeps_input_from_the_callers(weakened, probe, terminal):
    """Without the filter the payload types into its own pty; the caller's stays untouched."""
    run_on(terminal, sandboxed(weakened, probe, "tiocsti"), weakened.cwd, {"SBX_TEST_WITHOUT": "install_seccomp"})
    assert b"!" not in typed(terminal)


def test_control_without_a_sandbox_input_is_typed(probe, terminal, tmp_path):
    process, output = run_on(terminal, [probe.host_path, "tiocsti"], tmp_path)
    if b"errno=EIO" in output:
        pytest.skip("this kernel refuses TIOCSTI to everybody (dev.tty.legacy_tiocsti)")
    assert process.returncode == ESCAPED, output
    assert b"!" in typed(terminal)


def test_the_callers_terminal_is_not_passed_on(sbx, probe, terminal):
    side = os.fstat(terminal.side)
    words = ["holds-file", str(side.st_dev), str(side.st_ino)]
    process, output = run_on(terminal, sandboxed(sbx, probe, *words), sbx.cwd)
    assert process.returncode == CONTAINED, output
    process, output = run_on(terminal, [probe.host_path, *words], sbx.cwd)
    assert process.returncode == ESCAPED, output


def test_dev_tty_is_not_the_callers(sbx, probe, terminal):
    """The caller has a terminal, but stdin and stdout are elsewhere: /dev/tty must lead nowhere."""
    process, output = run_on(terminal, sandboxed(sbx, probe, "dev-tty"), sbx.cwd, stdio=False)
    assert process.returncode == CONTAINED, output


def test_control_dev_tty_is_the_callers_in_the_callers_session(weakened, probe, terminal):
    process, output = run_on(terminal, sandboxed(weakened, probe, "dev-tty"), weakened.cwd,
                             {"SBX_TEST_WITHOUT": "new_session,apply_landlock"}, stdio=False)
    assert process.returncode == ESCAPED, output
