"""Every command of README.md and docs/ does what the page prints, in the order of the page."""
import re
from pathlib import Path

import pages
import pytest
from follow import RUNS, Follower

from support.cache import ROOT

PATHS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "clients" / "README.md",
         *sorted((ROOT / "clients").glob("*/README.md"))]
NAMES = [str(path.relative_to(ROOT)) for path in PATHS]
# Blocks that are only shown, by page: a reason there, and here its number, so that they do not become more unnoticed.
ONLY_SHOWN = {"README.md": 9, "docs/tutorial.md": 1, "docs/comparison.md": 1, "clients/README.md": 1}
FOUND = {"package.json", "package-lock.json", "test_sums.py", "Makefile"}  # by npm, unittest and make
FILES = {"text", "csv", "cpp", "javascript", "yaml", "json", "toml", "make", "ini", "c"}


def page(name):
    return pages.read(ROOT / name, name)


def with_commands():
    return [name for name in NAMES if any("not run" not in block.notes for block in page(name).blocks)]


@pytest.mark.needs("cgroup")
@pytest.mark.parametrize("name", with_commands())
def test_the_page_is_right(reader, name):
    folder, env, around = reader(name)
    ran = Follower(page(name), folder, env, around).all()
    assert ran


def test_what_is_only_shown_has_a_reason_and_is_counted():
    shown = {name: [block for block in page(name).blocks if "not run" in block.notes] for name in NAMES}
    assert {name: len(blocks) for name, blocks in shown.items() if blocks} == ONLY_SHOWN
    assert not [block for blocks in shown.values() for block in blocks if len(block.notes["not run"]) < 15]


@pytest.mark.parametrize("name", NAMES)
def test_every_block_is_something_to_run_or_a_file(name):
    for block in page(name).blocks:
        if "not run" not in block.notes and "file" not in block.notes:
            assert block.language == "console" or block.language in RUNS, str(block)
        assert block.language in FILES | {"console"} | set(RUNS), str(block)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_a_page_is_used_there(name):
    blocks = page(name).blocks
    for number, block in enumerate(blocks):
        if "file" in block.notes and Path(block.notes["file"]).name not in FOUND:
            later = " ".join(other.text for other in blocks[number + 1:] if "not run" not in other.notes)
            assert re.search(rf"(?<!\w){re.escape(Path(block.notes['file']).name.partition('.')[0])}(?!\w)", later), str(block)


def test_every_page_is_linked_from_the_readme():
    text = (ROOT / "README.md").read_text()
    assert not [name for name in NAMES if name.startswith("docs/") and f"({name})" not in text]
