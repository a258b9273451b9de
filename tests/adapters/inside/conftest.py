"""For the tests that run beside the real frameworks: sandboxes that this host can have."""
import os

import pytest
from project import Project

from sbx import Sandbox

DEGRADE = [name for name in os.environ.get("SBX_TEST_DEGRADE", "").split(",") if name]


def pytest_collection_modifyitems(items):
    if DEGRADE:
        items[:] = [item for item in items if not item.get_closest_marker("needs_cgroup")]


@pytest.fixture
def sandbox():
    """Makes sandboxes, closed at the end."""
    made = []

    def make(profile="python", **overrides):
        made.append(Sandbox(profile, degrade=DEGRADE, **{"timeout": 20, **overrides}))
        return made[-1]

    yield make
    for box in made:
        box.close()


@pytest.fixture
def box(sandbox):
    return sandbox()


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project", DEGRADE)
