"""Sessions of the Python client (sbx.adapters.session), which need no framework."""
import os
import resource

import pytest

from clients import python_table as table
from support.waiting import wait_until

FEW = 1024  # more descriptors than select(2) knows


@pytest.fixture
def many_descriptors():
    """A process with more than 1,024 open ones."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < FEW + 200:
        pytest.skip(f"no process may have more than {before[1]} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW + 200, before[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(FEW)]
    yield
    for fd in held:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_session_and_runs_with_many_descriptors(client, degraded, many_descriptors):
    from sbx.adapters.session import Session
    with client.Sandbox("python", degrade=["cgroup"] if degraded else []) as box:
        session = Session(box)
        try:
            assert session.step("6 * 7").value == "42"
        finally:
            session.close()
        heard = []
        assert box.run(["cat"], input="in", on_stdout=heard.append).stdout == b"in" and heard == [b"in"]


def test_session_that_is_dropped_ends_its_interpreter(client, tree, degraded):
    """Without close(): a run of its own, and four descriptors, would stay for `lifetime` seconds."""
    from sbx.adapters.session import Session
    with client.Sandbox("python", degrade=["cgroup"] if degraded else []) as box:
        before = set(os.listdir("/proc/self/fd"))
        session = Session(box)
        assert session.step(f"import subprocess; subprocess.Popen(['sleep', '{tree}']).pid").error is None
        assert table.running_with(tree)
        del session
        wait_until(lambda: not table.running_with(tree), "it still runs", 20)
        wait_until(lambda: set(os.listdir("/proc/self/fd")) <= before, "descriptors are left", 20)


def test_a_fork_leaves_the_interpreter_to_its_parent(client, degraded):
    from sbx.adapters.session import Session
    with client.Sandbox("python", degrade=["cgroup"] if degraded else []) as box:
        session = Session(box)
        assert session.step("x = 41").error is None
        child = os.fork()
        if child == 0:
            # 0: its own step went to nobody's interpreter, and the parent's lives on.
            code = 1
            try:
                lost = session.step("x = 0").error or ""
                del session
                code = 0 if "forked" in lost else 2
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert session.step("x + 1").value == "42"
        session.close()


def test_no_descriptor_is_lost_where_there_are_too_few(client, degraded):
    from sbx.adapters.session import Session
    with client.Sandbox("python", degrade=["cgroup"] if degraded else []) as box:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        before, held = set(os.listdir("/proc/self/fd")), []
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, before)) + 20, limits[1]))
        try:
            with pytest.raises(OSError, match="Too many open files"):
                while True:
                    held.append(os.open(os.devnull, os.O_RDONLY))
            for _ in range(4):  # so many are a session's own
                with pytest.raises(OSError, match="Too many open files"):
                    Session(box).step("1")
                os.close(held.pop())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            for fd in held:
                os.close(fd)
        assert set(os.listdir("/proc/self/fd")) <= before
        assert Session(box).step("1").value == "1"


HALF = "'\\ud800'"  # of a surrogate pair, which is no character


@pytest.mark.parametrize("code, where", [
    (f"raise ValueError({HALF})", "error"), (f"class Half:\n    def __repr__(self): return {HALF}\nHalf()", "value"),
    (f"class FinalAnswerException(Exception):\n    value = {HALF}\nraise FinalAnswerException", "final")],
    ids=["error", "value", "final"])
def test_what_a_step_gives_is_a_text_that_can_be_sent_on(client, degraded, code, where):
    from sbx.adapters.session import Session
    with client.Sandbox("python", degrade=["cgroup"] if degraded else []) as box:
        session = Session(box)
        try:
            given = getattr(session.step(code), where)
            assert "?" in given and given.encode().decode() == given
            assert session.step("'\U0001f600'").value == repr("\U0001f600")
        finally:
            session.close()
