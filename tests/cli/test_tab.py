"""Completion by a shell at a terminal: what its line is after a Tab, and that it says nothing else."""
import os
import pty
import re
import select
import subprocess

import pytest

SHELLS = {
    "bash": (["bash", "--norc", "-i"], """
PS1='$ '; source "$COMPLETIONS/sbx.bash"
show() { printf '<<%s>>' "$READLINE_LINE"; READLINE_LINE=; }
bind 'set enable-bracketed-paste off'; bind -x '"\\C-t": show'; printf '<<%s>>' ready
"""),
    "zsh": (["zsh", "-f", "-i"], """
autoload -U compinit; compinit -u -D; source "$COMPLETIONS/_sbx"
show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle .reset-prompt }
zle -N show; bindkey '^T' show; print -r -- "<<""ready>>"
"""),
}

CASES = {
    "ex": "explain ", "run --net h": "run --net host ", "explain --why pa": "explain --why path:",
    "explain --why=sysc": "explain --why=syscall:", "run --root em": "run --root empty ", "run --stdin inh": "run --stdin inherit ",
    "run --ro in.t": "run --ro in.txt ", "run -- uniquet": "run -- uniquetool ", "explain -- uniquet": "explain -- uniquetool ",
    "learn -- uniquet": "learn -- uniquetool ", "profiles show jud": "profiles show judge ",
    "kill --signal USR1": "kill --signal USR1 ", "completion z": "completion zsh ", "help batc": "help batch ",
    "batch -o in.t": "batch -o in.txt ", "batch jobs -j 2 -o in.t": "batch jobs -j 2 -o in.txt ",
    "learn -o in.t": "learn -o in.txt ", "batch -j ": "batch -j ", "batch --jobs ": "batch --jobs ",
}


@pytest.fixture
def shell(sbx, root_dir, tmp_path, request):
    """Types a line and a Tab, and returns what the line is then, and all that was shown."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sbx").symlink_to(sbx.binary)
    (folder / "uniquetool").write_text("#!/bin/sh\n")
    (folder / "uniquetool").chmod(0o755)
    (tmp_path / "in.txt").write_text("")
    command, setup = SHELLS[request.param]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, start_new_session=True,
                               env={"PATH": f"{folder}:/usr/bin:/bin", "TERM": "dumb", "HOME": str(tmp_path),
                                    "COMPLETIONS": str(root_dir / "completions")})
    os.close(theirs)

    text = b""

    def shown():
        nonlocal text
        while not (found := re.search(rb"<<(.*?)>>", text, re.DOTALL)):
            assert select.select([ours], [], [], 60)[0], text
            text += os.read(ours, 65536)
        before, text = text[:found.end()], text[found.end():]
        return found[1].decode(), before.decode()

    def complete(line):
        os.write(ours, f"sbx {line}\t\x14".encode())
        return shown()

    os.write(ours, setup.strip().replace("\n", "; ").encode() + b"\n")
    while shown()[0] != "ready":
        pass
    yield complete
    process.kill()
    process.wait()
    os.close(ours)


@pytest.mark.parametrize("line", CASES)
@pytest.mark.parametrize("shell", [pytest.param(name, marks=pytest.mark.needs(f"program:{name}")) for name in SHELLS], indirect=True)
def test_a_tab_completes_and_says_nothing(shell, line):
    found, text = shell(line)
    assert found == f"sbx {CASES[line]}", text
    assert not re.search("error|not found|bad option|no such", text), text
