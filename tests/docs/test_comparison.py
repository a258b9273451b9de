"""docs/comparison.md says what bench/compare finds."""
import json
import os
import subprocess
import sys

import pytest
from support.cache import ROOT

sys.path.insert(0, str(ROOT / "bench"))
from sbxbench import comparison  # noqa: E402  (found only after the line above)

WHO = "root" if os.geteuid() == 0 else "an ordinary user"
LATER = "a run of 70 s is ended"  # takes that long; tests/limits has the clock


def compare(sbx_binary, folder, *flags):
    done = subprocess.run([ROOT / "bench" / "compare", "--sbx", sbx_binary, "--no-patient", "--rounds", "0", "--json",
                           folder / "answers", *flags], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answers").read_text())[WHO], done.stdout


@pytest.mark.needs("cgroup", "program:bwrap", "program:crun")
def test_the_table_has_what_is_measured_now(sbx_binary, tmp_path):
    rows, page = compare(sbx_binary, tmp_path, "--only", "sbx,bubblewrap,crun")
    # Only root can hide from crun that v1 and v2 are mixed here, which it refuses.
    assert {"sbx", "bubblewrap", *(["crun"] if WHO == "root" else [])} <= rows.keys()
    kept = (ROOT / "docs" / "comparison.md").read_text()
    for tool in ("sbx", "bubblewrap"):
        expected, found = comparison.answers(kept, tool)[WHO], comparison.answers(page, tool)[WHO]
        assert {q: a for q, a in expected.items() if q in found and q != LATER} == {q: a for q, a in found.items() if q != LATER}
        assert len(found) > 15


def test_nothing_is_in_the_way_without_a_sandbox(sbx_binary, tmp_path):
    """The control: what is refused in a sandbox is not refused by this host, or by the attempts themselves."""
    rows, _ = compare(sbx_binary, tmp_path, "--only", "no sandbox")
    row = rows["no sandbox"]
    succeeded = [name for name in ("home", "environment", "loopback", "abstract", "processes", "memory") if row[name]]
    assert succeeded == ["home", "environment", "loopback", "abstract", "processes", "memory"]
    assert row["namespaces"] == []


def test_the_page_says_when_and_with_what():
    page = (ROOT / "docs" / "comparison.md").read_text()
    assert "\nMeasured on 20" in page and "(bubblewrap 0." in page and "(sbx " in page
    for who in ("root", "an ordinary user"):
        answers = comparison.answers(page, "sbx")[who]
        assert "?" not in answers.values()
        assert len(answers) == len(comparison.QUESTIONS) + 1  # and the start
