"""A diff is written as it is made: what all the contents of a run take is no matter of memory, nor of time once nobody
reads."""
import json
import os
import subprocess

import pytest

from support import peak, slow

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


MANY = 20_000
NAMES = f"""
import os
for i in range({MANY}):
    os.mkdir(f"folder-{{i:06}}-{{'x' * 200}}")
"""


def many_names(kept):
    ended = kept.run(NAMES, "--memory", "256M", "--set", "workspace.size=128M", program="python3").assert_ok()
    return ended.result["id"]


def test_json_takes_the_memory_of_the_list_and_not_of_its_text(kept, tmp_path):
    run = many_names(kept)
    binary, cwd, out = kept.sbx.binary, kept.sbx.cwd, tmp_path / "out"
    one = peak.memory_of([binary, "diff", run, f"folder-000000-{'x' * 200}", "--json"], cwd)
    taken = peak.memory_of([binary, "diff", run, "--json"], cwd, out)
    told = json.loads(out.read_bytes())
    assert len(told["changes"]) == MANY and not told["omitted"] and out.read_bytes().endswith(b"}\n")
    assert taken < one + MIB and MANY * 300 < out.stat().st_size


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
def test_a_list_of_runs_takes_no_more_memory_with_each(kept, flags):
    taken = []
    for count in (2, 5):
        while len(kept.verb("diff", "--json").stdout.split(b'"schema"')) - 1 < count:
            many_names(kept)
        taken.append(peak.memory_of([kept.sbx.binary, "diff", *flags], kept.sbx.cwd))
    assert taken[1] < taken[0] + 4 * MIB, taken


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


LINKS = """
import os
with open("0", "w") as out: out.write("a line of some length, as in any text\\n" * 200_000)
for i in range(1, 500): os.link("0", str(i))
"""


def test_a_large_file_of_many_names_is_read_once(kept):
    """It costs its maker nothing; digested for each of its names, these 4 GB took 12 s."""
    made = kept.run(LINKS, program="python3").assert_ok().result["id"]
    assert kept.apply(made).returncode == 0
    gone = kept.run("find . -type f -delete").assert_ok().result["id"]
    for which, words, most in ((made, b"500 files changed, 100000000 insertions(+)", 2), (gone, b"100000000 deletions(-)", 4)):
        before = os.times()
        done = kept.verb("diff", which, "--stat")
        spent = os.times().children_user + os.times().children_system - before.children_user - before.children_system
        assert done.returncode == 0 and words in done.stdout and spent < most * slow.FACTOR, (which, spent)
