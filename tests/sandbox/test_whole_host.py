"""The host's `/`, where somebody has asked for it, is the host's and not the sandbox's own."""
import os
from pathlib import Path

import pytest

SHOWN = {
    "bind": (["--ro", "/:/host"], "/host"),
    "writable": (["--rw", "/:/host"], "/host"),
    "workspace": (["--workspace", "/"], "/workspace"),
}


@pytest.mark.parametrize("flags, place", SHOWN.values(), ids=list(SHOWN))
def test_the_host_is_shown(sbx, flags, place):
    # Of root's runs, what else is mounted there keeps it from being id-mapped.
    run = sbx.run(flags=[*flags, "--degrade", "idmap"], cmd=["sh", "-c", f"ls -A {place}; echo; cat {place}/etc/passwd"])
    names, users = run.assert_ok().out.split("\n\n", 1)
    assert set(names.split("\n")) == set(os.listdir("/")), run
    assert users == Path("/etc/passwd").read_text(), run


def test_it_stays_read_only(sbx):
    run = sbx.run(flags=["--ro", "/:/host", "--degrade", "idmap"], cmd=["touch", "/host/etc/new"])
    assert run.code == 1 and "Read-only" in run.err, run
