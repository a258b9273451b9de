"""What is kept and is not as sbx has left it: a disk that was full, somebody's rm, a stray file."""
import json
import os

import pytest

from changes.trees import snapshot

pytestmark = pytest.mark.needs("overlay")


def changed(kept, script):
    return kept.run(script).assert_ok().result["changes"]["run"]


@pytest.fixture
def store(kept):
    return kept.state / "sbx" / "changes"


@pytest.mark.parametrize("damage, how", [
    (lambda file: file.write_text(""), b"damaged"), (lambda file: file.write_text('{"schema": 7}'), b"damaged"),
    (lambda file: file.unlink(), b"missing")], ids=["empty", "other", "gone"])
def test_a_list_that_is_damaged_names_its_run(kept, store, damage, how):
    whole, name = changed(kept, "echo x > f"), changed(kept, "echo x > g")
    damage(store / name / "changes.json")
    for words in (["diff"], ["diff", "--json"], ["diff", name], ["apply", name]):
        done = kept.verb(*words)
        assert done.returncode == 125 and how in done.stderr and b"parse" not in done.stderr, done
        assert f"of {name} is".encode() in done.stderr and f"sbx discard {name}".encode() in done.stderr, done
    assert [run["run"] for run in json.loads(kept.verb("diff", "--json").stdout)] == [whole]
    assert kept.verb("discard", name).returncode == 0
    assert kept.verb("diff").returncode == 0


def test_a_stray_file_is_no_run(kept, store):
    changed(kept, "echo x > f")
    (store / "stray").write_text("")
    assert kept.verb("diff").returncode == 0
    assert kept.verb("discard", "--all").returncode == 0
    assert os.listdir(store) == ["stray"]


@pytest.mark.needs("user")
def test_what_cannot_be_removed_keeps_nothing_else(kept, store):
    names = sorted(changed(kept, "echo x > f") for _ in range(3))
    (store / names[0]).chmod(0)
    done = kept.verb("discard", "--all")
    (store / names[0]).chmod(0o700)
    assert done.returncode == 125 and names[0].encode() in done.stderr and done.stderr.count(b"cannot open") == 1, done
    assert os.listdir(store) == [names[0]]


@pytest.mark.parametrize("damage", [lambda content: content.write_text("rot\n"), lambda content: content.unlink()], ids=["other", "missing"])
def test_a_damaged_content_is_not_applied(kept, damage):
    (kept.sbx.cwd / "file").write_text("host\n")
    name = changed(kept, "echo run > file")
    damage(kept.state / "sbx" / "changes" / name / "1")
    before = snapshot(kept.sbx.cwd)
    done = kept.apply(name)
    assert done.returncode == 125 and b"what is kept of file is missing or damaged" in done.stderr, done
    assert b"goes on" not in done.stderr and f"sbx discard {name}".encode() in done.stderr, done
    assert snapshot(kept.sbx.cwd) == before


VERBS = [["diff"], ["diff", "--json"], ["diff", "RUN"], ["apply", "RUN"], ["discard", "RUN"], ["discard", "--all"]]


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_store_that_cannot_be_listed_is_not_told_as_empty(kept, store, words):
    name = changed(kept, "echo x > f")
    failing = ["strace", "-qq", "-o", "/dev/null", "-P", store, "-e", "trace=getdents64", "-e", "inject=getdents64:error=EIO"]
    done = kept.traced(failing, *[name if word == "RUN" else word for word in words])
    assert done.returncode == 125 and not done.stdout and b"cannot list" in done.stderr and b"(EIO)" in done.stderr, done
    assert os.listdir(store) == [name] and not (kept.sbx.cwd / "f").exists()


@pytest.mark.needs("user")  # root passes every mode
@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_store_whose_runs_cannot_be_looked_at_is_not_told_as_empty(kept, store, words):
    name = changed(kept, "echo x > f")
    store.chmod(0o400)
    done = kept.verb(*[name if word == "RUN" else word for word in words])
    store.chmod(0o700)
    assert done.returncode == 125 and name.encode() in done.stderr and b"(EACCES)" in done.stderr, done
    assert os.listdir(store) == [name]


@pytest.mark.parametrize("call", ["newfstatat", "openat2", "renameat2", "unlinkat"])
def test_a_disk_that_fails_while_changes_are_applied_is_no_other_persons_work(kept, call):
    """Wherever it does: each call in turn, until there is no more."""
    top, nth = kept.sbx.cwd, 0
    (top / "gone").write_text("host\n")
    name = changed(kept, "echo run > f; rm gone")
    while True:
        nth += 1
        done = kept.traced(["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when={nth}"], "apply", name)
        said = done.stderr.decode()
        assert "somebody else" not in said and "host has" not in said and "not there any more" not in said, (nth, done)
        if done.returncode == 0:
            break
        assert "(EIO)" in said or "Input/output error" in said or "cannot open the kept changes" in said, (nth, done)
    assert (top / "f").read_text() == "run\n" and not (top / "gone").exists() and nth > 1


def test_a_workspace_that_cannot_be_opened_is_not_told_as_gone(kept):
    name = changed(kept, "echo x > f")
    failing = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=openat2", "-e", "inject=openat2:error=EIO"]
    done = kept.traced(failing, "apply", name)
    assert done.returncode == 125 and b"cannot open the workspace" in done.stderr and b"(EIO)" in done.stderr, done
    assert b"it is gone" not in done.stderr and b"stay kept" in done.stderr, done
