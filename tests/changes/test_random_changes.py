"""Random change sets: what is kept is exactly what changed, and applying it makes the same tree, byte for byte.

What should come out is made by the same program on a copy that it may write to (mode: rw)."""
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from changes import mutate
from changes.trees import difference, remove_tree, snapshot

MUTATE = Path(mutate.__file__).read_text()
ROUNDS, BATCHES = 500, 20


@pytest.fixture
def tmp_path(tmp_path):
    """In memory, where that has attributes of users and mapped owners (Linux 6.6): some disks take milliseconds to remove
    a folder, of which there are fifty thousand here."""
    if tuple(map(int, platform.release().split(".")[:2])) < (6, 6):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="sbx-test-", dir="/dev/shm"))
    yield folder
    remove_tree(folder)


class Plain(mutate.Mutator):
    """Makes the tree that a run finds: one name for each file, because an overlay parts them."""

    ACTS = tuple(act for act in mutate.Mutator.ACTS if act.__name__ != "link")


def make_tree(folder, seed):
    folder.mkdir()
    back = os.getcwd()
    os.chdir(folder)
    try:
        Plain(seed).change(40)
    finally:
        os.chdir(back)


def mutation(seed):
    return ["/usr/bin/python3", "-I", "-S", "-c", MUTATE, str(seed), "25"]


def one_round(kept, folder, seed):
    tree, reference = folder / "tree", folder / "reference"
    make_tree(tree, seed)
    shutil.copytree(tree, reference, symlinks=True, copy_function=copy_whole)
    before = snapshot(tree)[0]
    assert before == snapshot(reference)[0]
    kept.sbx.run(flags=["--workspace", f"{reference}:rw"], cmd=mutation(seed + 1)).assert_ok()
    run = kept.sbx.run(flags=["--workspace", f"{tree}:overlay", "--keep", "diff"], cmd=mutation(seed + 1)).assert_ok()
    assert not run.result["warnings"], run
    assert snapshot(tree)[0] == before  # nothing yet
    wanted = snapshot(reference)
    expected = difference(before, wanted[0])
    name = run.result["changes"]["run"]
    if not expected:
        assert name is None
    else:
        assert kept.changes(name) == expected
        done = kept.apply(name)
        assert done.returncode == 0, done
        assert snapshot(tree) == wanted
        assert kept.apply(name).stdout.startswith(b"0 changes applied")
        assert kept.verb("discard", name).returncode == 0
    remove_tree(tree)
    remove_tree(reference)


def copy_whole(source, target):
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
    elif not os.path.isfile(source):
        os.mkfifo(target)
        shutil.copystat(source, target)
    else:
        shutil.copyfile(source, target)
        shutil.copystat(source, target)


@pytest.mark.needs("overlay")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_random_change_set_is_listed_and_applied_exactly(kept, tmp_path, open_folder, batch):
    for number in range(ROUNDS // BATCHES):
        seed = 1000 * batch + 2 * number
        try:
            one_round(kept, tmp_path, seed)
        except BaseException:
            print(f"seed {seed}", file=sys.stderr)
            raise
