"""The host has a procfs elsewhere than at /proc, as for a chroot: no process of its own shows there either."""
import os

import pytest

SHOWN = {
    "the workspace": ([], "/workspace"),
    "writable": (["--workspace", ".:rw"], "/workspace"),
    "an overlay": (["--workspace", ".:overlay", "--degrade", "overlay"], "/workspace"),
    "a bind": (["--ro", ".:/place"], "/place"),
    "a copy": (["--copy-in", ".:/tmp/place"], "/tmp/place"),
}
# Of root's runs, what else is mounted there keeps it from being id-mapped.
FLAGS = ["--degrade", "idmap"]


@pytest.fixture
def host(sbx, monkeypatch, is_root):
    """sbx where `chroot/proc` of its folder is a procfs of the host's."""
    (sbx.cwd / "chroot/proc").mkdir(parents=True)
    own = [] if is_root else ["--user", "--map-current-user", "--keep-caps"]
    script = 'mount --rbind /proc chroot/proc && test -e chroot/proc/1/status && exec "$@"'
    monkeypatch.setattr(sbx, "around", lambda cwd: ["unshare", *own, "--mount", "--propagation", "private", "sh", "-c", script, "sh"])
    return sbx


@pytest.mark.parametrize("flags, place", SHOWN.values(), ids=list(SHOWN))
def test_no_process_is_seen_in_a_tree(host, flags, place):
    run = host.run(flags=[*flags, *FLAGS], cmd=["sh", "-c", f"ls -A {place}/chroot/proc; cat {place}/chroot/proc/1/status"])
    assert run.status == "nonzero" and run.out == "", run


@pytest.mark.parametrize("source", ["chroot/proc", "chroot/proc/1", "chroot/proc/1/status"])
@pytest.mark.parametrize("flag", ["--ro {}:/place", "--copy-in {}:/tmp/place", "--workspace {}"])
def test_nor_by_itself(host, source, flag):
    run = host.run(flags=[*flag.format(source).split(), *FLAGS], cmd=["true"])
    run.assert_refused("cannot show", source)


@pytest.mark.parametrize("root", ["/proc", "chroot/proc", "chroot/proc/1"])
def test_nor_as_a_root(host, root):
    profile = {"version": 1, "root": {"dir": str(host.cwd / root)}, "degrade": ["idmap"]}
    host.run(profile, cmd=["true"]).assert_refused("the processes of the host", "root")


def test_what_the_machine_has_can_be_shown(host):
    run = host.run(flags=["--ro", "chroot/proc/cpuinfo:/cpus", *FLAGS], cmd=["grep", "-c", "^processor", "/cpus"])
    assert int(run.assert_ok().out) == open("/proc/cpuinfo").read().count("processor\t"), run


@pytest.mark.needs("root")
def test_one_that_the_command_may_not_enter_keeps_no_run_from_starting(host):
    os.chmod(host.cwd / "chroot", 0o700)
    run = host.run(flags=FLAGS, cmd=["ls", "/workspace/chroot"])
    assert run.status == "nonzero" and "Permission denied" in run.err, run
