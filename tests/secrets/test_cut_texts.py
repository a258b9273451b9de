"""What sbx tells is masked before it is cut: half a secret would be known to nobody any more, and shown."""
import os
import secrets
import shutil
import tempfile

import pytest

from support.git_trees import PROTECT, commit, git

FLAGS = ["--secret", "k=env:SBX_TEST_SECRET"]
CONTROL = [*FLAGS, "--set", "secrets.k.redact=false"]
# `prctl` would name a process so, too; this one is named by its file, and by the kernel with its first 15 bytes.
NAMED = 'cp /bin/cat "/tmp/$1"; "/tmp/$1" "$2"; touch "/usr/$3"; exit 1'


@pytest.fixture
def word(monkeypatch):
    word = secrets.token_hex(20)
    monkeypatch.setenv("SBX_TEST_SECRET", word)
    return word


def parts_of(word, text):
    return {word[i:i + 8] for i in range(len(word) - 7) if word[i:i + 8] in text}


@pytest.fixture
def elsewhere():
    folder = tempfile.mkdtemp(dir="/var/tmp")
    os.chmod(folder, 0o755)
    with open(f"{folder}/in", "w") as file:
        file.write("1")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.needs("userns")
@pytest.mark.parametrize("flags", [FLAGS, CONTROL], ids=["masked", "control"])
def test_the_remarks_of_a_learned_profile(sbx, word, elsewhere, flags):
    """The command at its 200th byte, a path at its 100th, and a program's name as the kernel cuts it."""
    path = "x" * 60 + word + "y" * 60
    pad = "z" * (180 - len(f"sh -c '{NAMED}'  "))
    run = sbx.call("learn", *sbx.degraded, *flags, "--", "sh", "-c", NAMED, pad, word, f"{elsewhere}/in", path)
    assert run.code == 1 and "may not write here" in run.out and "looked for" in run.out, run
    text = run.out + run.err
    assert bool(parts_of(word, text)) == (flags is CONTROL), text


@pytest.mark.needs("overlay")
@pytest.mark.parametrize("flags", [FLAGS, CONTROL], ids=["masked", "control"])
def test_links_that_were_removed(sbx, word, flags):
    git(sbx.cwd, "init", "-q")
    commit(sbx.cwd)
    names = [letter * 240 for letter in "abcd"]
    script = f'cd .git/logs; for n in {" ".join(names)}; do mkdir $n; cd $n; done; ln -s /x "{"e" * 20}$0"'
    run = sbx.run(flags=[*PROTECT, *flags], cmd=["sh", "-c", script, word], json=True)
    told = [text for text in run.result["warnings"] if "symbolic links were removed" in text]
    assert len(told) == 1 and told[0].endswith("..."), run
    assert bool(parts_of(word, run.out + run.err)) == (flags is CONTROL), run
