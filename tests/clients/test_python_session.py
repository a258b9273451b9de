"""Sessions of the Python client (sbx.adapters.session), which need no framework."""
import os
import resource

import pytest

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
