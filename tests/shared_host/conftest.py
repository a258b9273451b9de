"""A host without namespaces: sbx is started below a filter that has no clone3(2), as in many containers."""
import sys
from pathlib import Path

import pytest

HOST = """#!{python}
import errno, os, sys
sys.path.insert(0, {tests!r})
from fault import hosts
hosts.refusing(["clone3"], errno.ENOSYS)()
os.execv({binary!r}, [{binary!r}, *sys.argv[1:]])
"""


def without_namespaces(program, folder):
    """`program` as it is on such a host, allowed to go on without."""
    place = Path(folder) / "without-namespaces"
    place.mkdir(exist_ok=True)
    wrapper = place / Path(program.binary).name
    wrapper.write_text(HOST.format(python=sys.executable, tests=str(Path(__file__).parents[1]), binary=program.binary))
    wrapper.chmod(0o755)
    program.binary = str(wrapper)
    program.degraded = [*program.degraded, "--degrade", "userns"]
    return program


@pytest.fixture
def shared(sbx, open_folder):
    return without_namespaces(sbx, open_folder)


@pytest.fixture
def weak(weakened, open_folder):
    """The same with steps of its plan taken out (SBX_TEST_WITHOUT)."""
    return without_namespaces(weakened, open_folder)


@pytest.fixture
def place(open_folder):
    folder = open_folder / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder
