"""numpy, pandas and matplotlib out of a virtualenv on the host, made known in both ways there are."""
import os

import pytest

from support.cache import made
from support.profiles import with_tools


@pytest.fixture(scope="session")
def virtualenv():
    return str(made("venv"))


def test_virtualenv_as_a_mount(inside, project, virtualenv):
    run = inside("python", project("data"), f"{virtualenv}/bin/python3", "work.py",
                 flags=["--ro", virtualenv])
    assert run.out == f"data fine {virtualenv}\n"


def test_virtualenv_as_a_tool_writes_to_the_workspace(inside, project, virtualenv):
    folder = project("data")
    inside(with_tools("python", "python3"), folder, "python3", "work.py", ".", mode="rw",
           env={"PATH": f"{virtualenv}/bin:{os.environ['PATH']}"})
    picture = folder / "sine.png"
    assert picture.stat().st_size > 5000
    assert picture.stat().st_uid == os.geteuid(), "what a run writes belongs to its caller"
