"""For the tests of real programs: a copy of a sample project, and a run in it that must succeed."""
import shutil
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent / "samples"


@pytest.fixture
def project(tmp_path):
    """project("go") copies samples/go to a folder of the test's own and returns it."""
    def copy(name):
        target = tmp_path / name
        shutil.copytree(SAMPLES / name, target)
        return target
    return copy


@pytest.fixture
def inside(sbx):
    """inside(profile, folder, CMD...) runs CMD with the folder as workspace; it must return 0. A slow
    host gets the time that it needs: how fast these programs are is not the question here."""
    def run(profile, folder, *cmd, mode="ro", flags=(), timeout=180, **options):
        flags = ["--workspace", f"{folder}:{mode}", "--timeout", f"{timeout}s", *flags]
        return sbx.run(profile, flags, cmd, timeout=timeout + 10, **options).assert_ok()
    return run
