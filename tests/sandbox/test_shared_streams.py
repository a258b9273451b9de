"""Standard streams that others use as well, before, beside and after the run: the payload has pipes of the run's own,
through which it reaches nothing of theirs."""
import os
import subprocess

import pytest

from support.waiting import cpu_seconds

PYTHON = "/usr/bin/python3"
READ_BACK = "import os\ntry: print('read', os.read(os.open('/proc/self/fd/1', os.O_RDONLY | os.O_NONBLOCK), 100))\nexcept OSError: print('nothing')"
NONBLOCK = "import os; os.set_blocking(1, False); os.write(1, b'x')"
INJECT = "import os\ntry: os.write(os.open('/proc/self/fd/0', os.O_WRONLY | os.O_NONBLOCK), b'injected\\n')\nexcept OSError: pass"


@pytest.fixture
def shell(sbx):
    """shell(script, *words): a script in which "$@" runs these words in a sandbox, or without; what it prints."""

    def run(script, *words, bare=False):
        sandbox = [] if bare else [str(sbx.binary), "run", *sbx.degraded, "--"]
        done = subprocess.run(["bash", "-c", script, "bash", *sandbox, *words], cwd=sbx.cwd, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)
        return done.stdout

    return run


@pytest.mark.parametrize("bare", [False, True], ids=["sandbox", "control"])
def test_what_others_have_written_is_not_read_back(shell, bare):
    """The control: without a sandbox, it is."""
    said = shell('{ echo earlier; "$@"; touch ended; } | { until test -e ended; do sleep 0.05; done; cat; }',
                 PYTHON, "-c", READ_BACK, bare=bare)
    assert ("earlier" in said.splitlines()) == (not bare), said
    assert ("read b'earlier" in said) == bare, said


@pytest.mark.parametrize("bare", [False, True], ids=["sandbox", "control"])
def test_no_mode_is_left_behind(shell, bare):
    """What comes next would fail with EAGAIN once the pipe is full."""
    look = "import fcntl, os; os.write(3, b'left' if fcntl.fcntl(1, fcntl.F_GETFL) & os.O_NONBLOCK else b'none')"
    said = shell(f'exec 3>&1; {{ "$@"; {PYTHON} -c "{look}"; }} | cat > /dev/null', PYTHON, "-c", NONBLOCK, bare=bare)
    assert said == ("left" if bare else "none")


@pytest.mark.parametrize("bare", [False, True], ids=["sandbox", "control"])
def test_the_next_reader_gets_nothing_of_the_payloads(shell, bare):
    said = shell('echo own | { "$@"; cat; }', PYTHON, "-c", INJECT, bare=bare)
    assert set(said.splitlines()) == ({"own", "injected"} if bare else {"own"})  # in which order is the scheduler's to say


@pytest.mark.parametrize("take, left", [("true", "a\nb\nc\n"), ("import os; os.read(0, 2)", "b\nc\n"),
                                        ("import sys; sys.stdin.read()", "")])
def test_of_a_pipe_no_more_is_taken_than_the_command_has_read(shell, take, left):
    assert shell(r'printf "a\nb\nc\n" | { "$@"; cat; }', PYTHON, "-c", take.replace("true", "pass")) == left


@pytest.mark.parametrize("source", ["seq 5 |", "< <(seq 5)", "< list"])
def test_a_loop_gets_all_of_its_lines(sbx, shell, source):
    (sbx.cwd / "list").write_text("1\n2\n3\n4\n5\n")
    loop = 'while read -r line; do "$@" "$line"; done'
    script = f"{source} {loop}" if source.endswith("|") else f"{loop} {source}"
    assert shell(script, "echo") == "1\n2\n3\n4\n5\n"


def test_a_file_is_given_back_only_as_far_as_it_was_taken(sbx, shell):
    """The payload can make what is left in its pipe look like more."""
    (sbx.cwd / "list").write_text("token\na\nb\n")
    more = "import os; os.read(0, 100); os.write(os.open('/proc/self/fd/0', os.O_WRONLY | os.O_NONBLOCK), b'x' * 50)"
    assert shell('{ read -r token; "$@"; cat; } < list', PYTHON, "-c", more).startswith("a\n")


@pytest.mark.parametrize("size", [1, 4095, 4096, 4097, 65536, (1 << 20) + 1, 20_000_001])
def test_all_of_a_pipe_arrives(shell, size):
    """Also behind the first megabyte, from which on it is read ahead."""
    source = f"{PYTHON} -c 'import os; os.sys.stdout.buffer.write(bytes(i % 251 for i in range(1000)) * ({size} // 1000) + b\"x\" * ({size} % 1000))'"
    expected = subprocess.run(["bash", "-c", f"{source} | sha256sum"], capture_output=True, text=True, check=True).stdout
    assert shell(f'{source} | "$@"', "sha256sum") == expected


def test_a_pipe_that_the_payload_makes_larger_does_not_keep_us_awake(sbx, own_pipe):
    """There is room in it then, which is what the supervisor waits for."""
    larger = "import fcntl, time; fcntl.fcntl(0, 1031, 1 << 16); print('larger', flush=True); time.sleep(1); print('end', flush=True)"
    running = sbx.spawn(flags=[], cmd=[PYTHON, "-c", larger], stdin=own_pipe)
    running.read_until(b"larger")
    before = cpu_seconds(running.pid)
    running.read_until(b"end")
    assert cpu_seconds(running.pid) - before < 0.5, "it waited in a loop"
    running.wait().assert_ok()


@pytest.fixture
def own_pipe():
    """A pipe with something in it, whose writer stays."""
    read, write = os.pipe()
    os.write(write, b"something\n")
    yield read
    os.close(read)
    os.close(write)
