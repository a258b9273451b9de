"""For the tests of real programs: a copy of a sample project, and a run in it that must succeed."""
import os
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


class Learned:
    def __init__(self, run, path):
        self.run, self.path = run, path
        self.text = path.read_text() if path.exists() else ""

    @property
    def data(self):
        """The lines that are no comment."""
        return "\n".join(line for line in self.text.splitlines() if not line.startswith("#"))


@pytest.fixture
def learn(sbx):
    def run(cmd, *flags, base=None, name="learned.yaml"):
        words = ["learn", "-o", sbx.folder / name, *sbx.degraded, *flags, *([base] if base else []), "--", *cmd]
        return Learned(sbx.call(*words), sbx.folder / name)

    return run


@pytest.fixture
def again(sbx):
    """The command under the learned profile: ok, and nothing is denied."""

    def run(learned, cmd):
        done = sbx.run(str(learned.path), cmd=cmd).assert_ok()
        assert done.result["denials"] == [], done
        assert len(learned.text.splitlines()) <= 25, learned.text
        assert sbx.call("check", learned.path).code == 0
        return done

    return run


@pytest.fixture
def tool(tmp_path):
    """A program's files where no sandbox shows them."""
    folder = Path("/var/tmp") / f"sbx-learn-{os.getpid()}-{tmp_path.name}"
    (folder / "lib").mkdir(parents=True)
    folder.chmod(0o755)
    for name in "abc":
        (folder / "lib" / name).write_text(name)
    yield folder
    shutil.rmtree(folder)
