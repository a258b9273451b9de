"""A diff is written as it is made: what all the contents of a run take is no matter of memory, nor of time once nobody
reads."""
import subprocess

import pytest

from support import peak

pytestmark = pytest.mark.needs("overlay")

MIB = 1 << 20
FILES = 20
TEXTS = f"""
for i in range({FILES}):
    with open(f"text-{{i}}", "w") as out:
        out.write("a line of some length, as in any text\\n" * (4 * {MIB} // 38))
"""


@pytest.fixture
def run(kept):
    ended = kept.run(TEXTS, "--memory", "256M", "--set", "workspace.size=128M", program="python3").assert_ok()
    return ended.result["id"]


def test_a_diff_takes_the_memory_of_one_text_and_not_of_all(kept, run, tmp_path):
    out = tmp_path / "out"
    assert peak.memory_of([kept.sbx.binary, "diff", run], kept.sbx.cwd, out) < 64 * MIB < out.stat().st_size
    text = out.read_bytes()
    assert text.count(b"\ndiff --git ") == FILES and text.endswith(b"as in any text\n")


def test_a_reader_that_goes_ends_it(kept, run):
    process = subprocess.Popen([kept.sbx.binary, "diff", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               cwd=kept.sbx.cwd, restore_signals=False)
    assert process.stdout.readline().startswith(b" text-0 ")
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 125 and error.count(b"sbx: cannot write to standard output") == 1 and b"EPIPE" in error


def test_a_pager_that_shows_it_holds_up_nobody(kept, run):
    with subprocess.Popen([kept.sbx.binary, "diff", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=kept.sbx.cwd) as process:
        assert process.stdout.readline().startswith(b" text-0 ")
        assert kept.apply(run).returncode == 0
        assert kept.verb("discard", run).returncode == 0
        text, error = process.communicate(timeout=60)
    assert process.returncode == 0 and not error and text.count(b"(what the run wrote is not kept") > 1
