"""A page of Markdown as what a reader can type: its fenced blocks, each with the invisible comments before it.

    <!-- file: NAME -->      the block is the content of this file, in the page's folder
    <!-- not run: WHY -->    it is only shown; test_pages.py counts these
    <!-- varies: A B -->     these words of the printed output differ from run to run
    <!-- exit: N -->         the exit code of its last command, which is 0 otherwise
    <!-- prints: TEXT -->    what a block that shows no output prints
    <!-- output not shown --> its commands print more than the page shows
    <!-- terminal -->        its commands are typed at a terminal
    <!-- home: PATH -->      anywhere: what the page calls the reader's home; the page's folder is `project` in it
    <!-- internet: NAME -->  anywhere: a site that the page takes from, which conftest.py makes
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

COMMENT = re.compile(r"<!-- ([a-z][a-z ]*?)(?:: (.*?))? -->$")
KNOWN = {"file", "not run", "varies", "exit", "prints", "output not shown", "terminal"}
MEASURED = {f"<!-- measured: {end} -->" for end in ("begin", "end")}  # of bench/compare
OF_PAGE = {"home", "internet"}


@dataclass
class Block:
    page: str
    line: int  # of the fence
    language: str
    text: str
    notes: dict = field(default_factory=dict)

    def __str__(self):
        return f"{self.page}:{self.line}"

    def commands(self):
        """(command, printed lines) of a console block; a command goes on after a backslash, and in lines with `> `."""
        found = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append(([line[2:]], []))
            elif not found:
                raise ValueError(f"{self}: output before the first command: {line!r}")
            elif not found[-1][1] and (found[-1][0][-1].endswith("\\") or line.startswith("> ")):
                found[-1][0].append(line.removeprefix("> "))
            else:
                found[-1][1].append(line)
        return [("\n".join(command), printed) for command, printed in found]


@dataclass
class Page:
    name: str
    blocks: list
    notes: dict  # of the page


def read(path, name=None):
    name, blocks, notes, of_page, open_block = name or Path(path).name, [], {}, {}, None
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if open_block is not None:
            if line == "```":
                blocks.append(open_block)
                open_block = None
            else:
                open_block.text += line + "\n"
            continue
        comment = COMMENT.match(line)
        if line in MEASURED:
            continue
        if line.startswith("```"):
            open_block, notes = Block(name, number, line[3:].strip(), "", notes), {}
        elif comment and comment[1] in KNOWN:
            notes[comment[1]] = comment[2] or ""
        elif comment and comment[1] in OF_PAGE:
            of_page[comment[1]] = comment[2]
        elif line.startswith("<!--"):
            raise ValueError(f"{name}:{number}: not a comment that pages.py knows: {line}")
        elif line.strip() and notes:
            raise ValueError(f"{name}:{number}: {notes} stands before no block")
    if open_block is not None or notes:
        raise ValueError(f"{name}: its last block is open, or missing")
    return Page(name, blocks, of_page)
