"""What reads the pages finds a page that is wrong: otherwise test_pages.py would say nothing."""
import os

import compare
import pages
import pytest
from follow import Follower, Wrong

ENV = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def follow(tmp_path, text):
    (tmp_path / "page.md").write_text(text)
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    return Follower(pages.read(tmp_path / "page.md"), folder, {**ENV, "HOME": str(tmp_path)}).all()


GOOD = {
    "output": "```console\n$ echo one; echo two\none\ntwo\n```\n",
    "a variable and a folder stay": "```console\n$ mkdir d; cd d; x=4\n$ echo ${PWD##*/} $x\nd 4\n```\n",
    "the exit code stays": "<!-- output not shown -->\n```console\n$ (exit 7) || (exit 0)\n$ true; (exit 0)\n$ echo $?\n0\n```\n",
    "long commands": "```console\n$ echo one \\\n    two\none two\n$ cat <<X\n> three\n> X\nthree\n```\n",
    "lines": "```console\n$ seq 5\n1\n...\n5\n```\n",
    "within a line": "```console\n$ echo took 12 ms, all of it\ntook ... of it\n```\n",
    "what varies": "<!-- varies: 12ms 38K -->\n```console\n$ echo 9ms in 4M\n12ms in 38K\n```\n",
    "a file": "<!-- file: a/b.txt -->\n```yaml\nx: 1\n```\n```console\n$ cat a/b.txt\nx: 1\n```\n",
    "a program": "<!-- prints: 42 -->\n```python\nprint(6 * 7)\n```\n",
    "an expected failure": "<!-- exit: 3 -->\n```console\n$ exit 3 2>/dev/null | sh -c 'exit 3'\n```\n",
    "a terminal": "<!-- terminal -->\n```console\n$ test -t 0 && test -t 1 && echo yes\nyes\n```\n",
    "ids": "```console\n$ echo 20250101-000000-aaaabbbb ok\n20260722-101502-9f86d081 ok\n"
           "$ echo 9f86d081\n9f86d081\n```\n",
}
BAD = {
    "another output": "```console\n$ echo one\ntwo\n```\n",
    "more output": "```console\n$ seq 2\n1\n```\n",
    "less output": "```console\n$ echo 1\n1\n2\n```\n",
    "output that the page does not show": "```console\n$ echo 1\n$ echo 2\n2\n```\n",
    "a command that fails": "```console\n$ false\n```\n",
    "one that does not": "<!-- exit: 1 -->\n```console\n$ true\n```\n",
    "what is not said to vary": "<!-- varies: 38K -->\n```console\n$ echo 9ms in 4M\n12ms in 38K\n```\n",
    "a part of a word that varies": "<!-- varies: 12 -->\n```console\n$ echo 99ms\n12ms\n```\n",
    "an order that is not there": "```console\n$ seq 3\n3\n...\n```\n",
    "another run's id": "```console\n$ echo 20250101-000000-aaaabbbb\n20260722-101502-9f86d081\n"
                        "$ echo 20250101-000000-bbbbbbbb\n20260722-101502-9f86d081\n```\n",
    "two ids for one": "```console\n$ echo 20250101-000000-aaaabbbb 20250101-000000-bbbbbbbb\n"
                       "20260722-101502-9f86d081 20260722-101502-9f86d081\n```\n",
    "a program's output": "<!-- prints: 41 -->\n```python\nprint(6 * 7)\n```\n",
    "a program's output that is not shown": "```python\nprint(6 * 7)\n```\n",
    "a program that fails": "<!-- output not shown -->\n```python\nimport nothing_of_this_name\n```\n",
    "a block of no kind": "```yaml\nx: 1\n```\n",
    "no terminal": "```console\n$ test -t 0 && test -t 1 && echo yes\nyes\n```\n",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_right_page_is_right(tmp_path, name):
    assert follow(tmp_path, GOOD[name])


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_page_is_wrong(tmp_path, name):
    with pytest.raises(Wrong):
        follow(tmp_path, BAD[name])


@pytest.mark.parametrize("text", ["<!-- not  run -->\n", "<!-- filled: x -->\n```console\n```\n", "```console\n$ true\n",
                                  "<!-- file: x -->\ntext between\n```yaml\n```\n", "<!-- file: x -->\n"])
def test_a_comment_that_means_nothing_is_an_error(tmp_path, text):
    with pytest.raises(ValueError):
        follow(tmp_path, text)


def test_a_command_that_is_not_run_is_not_run(tmp_path):
    text = "<!-- not run: it would end the world -->\n```console\n$ touch done\n```\n"
    assert follow(tmp_path, text + "```console\n$ ls\n```\n") == ["ls"]


def test_the_home_has_the_name_that_the_page_gives_it(tmp_path):
    assert follow(tmp_path, "<!-- home: /home/ada -->\n\n```console\n$ pwd\n/home/ada/project\n```\n")


def test_ids_are_translated_in_commands():
    ids = compare.Ids()
    assert compare.matches(["run 20260722-101502-9f86d081"], "run 20250101-000000-aaaabbbb\n", ids)
    assert ids.translate("sbx diff 9f86d081") == "sbx diff aaaabbbb"
