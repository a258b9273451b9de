"""The stage of the attacks: the program, the same program with walls missing, and the probe."""
import os

import pytest

from escape.attacks import Stage
from support import features


def pytest_generate_tests(metafunc):
    attacks = getattr(metafunc.module, "ATTACKS", [])
    if "wall" in metafunc.fixturenames:
        pairs = [(a, wall) for a in attacks if len(a.walls) > 1 for wall in a.walls]
        metafunc.parametrize("attack,wall", pairs, ids=[f"{a}-{w}" for a, w in pairs])
    elif "attack" in metafunc.fixturenames:
        control = metafunc.function.__name__ == "test_works_without_its_walls"
        chosen = [a for a in attacks if not (control and a.why_no_control)]
        metafunc.parametrize("attack", chosen, ids=str)


@pytest.fixture
def require():
    """require("root"): skips the test where @pytest.mark.needs("root") would have."""
    required = set(filter(None, os.environ.get("SBX_TEST_REQUIRE", "").split(",")))

    def check(feature):
        why = features.why_not(feature)
        if why and feature in required:
            pytest.fail(f"needs {feature}, which SBX_TEST_REQUIRE says is here: {why}", pytrace=False)
        if why:
            pytest.skip(f"needs {feature}: {why}")

    return check


@pytest.fixture
def scene():
    """What a module's attacks name in braces; modules override it."""
    return {}


@pytest.fixture
def stage(request, sbx, probe, scene):
    return Stage(request, sbx, probe, scene)


@pytest.fixture
def secret(tmp_path):
    """A file of the host's, next to the workspace and not in it."""
    path = tmp_path / "secret"
    path.write_text("the host's secret\n")
    return path
