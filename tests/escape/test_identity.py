"""The payload is never user 0 of the host, and what it writes belongs to the right owner."""
import os
import subprocess
from pathlib import Path

import pytest


def ids(pid):
    """(real, effective, saved, file system) user ids and group ids of a process, as the host sees it."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    found = {line.partition(":")[0]: list(map(int, line.split()[1:])) for line in lines
             if line.startswith(("Uid:", "Gid:"))}
    return found["Uid"], found["Gid"]


def payload_of(running, probe):
    """The host's pid of the payload: the process below sbx that runs the probe."""
    for pid, _ in running.processes():
        if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(probe.path.encode() + b"\0"):
            return pid
    raise AssertionError(f"no payload below {running.pid}: {running.processes()}")


def hold(sbx, probe, *flags):
    running = sbx.spawn(flags=[*probe.flags, *flags], cmd=[probe.path, "hold"], stdin=subprocess.PIPE)
    running.read_until(b"ready")
    return running


@pytest.mark.parametrize("flags", [(), ("--set", "user.uid=0", "--set", "user.gid=0")], ids=["default", "root-inside"])
def test_payload_and_init_are_never_root_of_the_host(sbx, probe, flags):
    running = hold(sbx, probe, *flags)
    below = [pid for pid, _ in running.processes()]
    assert payload_of(running, probe) in below
    for pid in below:
        uids, gids = ids(pid)
        assert 0 not in uids and 0 not in gids, (pid, uids, gids)
    running.wait(b"").assert_ok()


def test_control_without_a_sandbox_the_callers_ids_show(probe):
    with subprocess.Popen([probe.host_path, "hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        assert ids(process.pid) == ([os.getuid()] * 4, [os.getgid()] * 4)
        process.communicate(b"")


@pytest.mark.needs("root")
def test_two_sandboxes_of_root_never_share_a_user(sbx, probe):
    runs = [hold(sbx, probe) for _ in range(8)]
    users = [ids(payload_of(r, probe)) for r in runs]
    for run in runs:
        run.wait(b"").assert_ok()
    uids = [u[0][0] for u in users]
    gids = [u[1][0] for u in users]
    assert len(set(uids)) == len(uids) and len(set(gids)) == len(gids), users


@pytest.mark.needs("user")
def test_control_two_sandboxes_of_one_user_share_it(sbx, probe):
    """An ordinary user has one id to give, so here the same question has the other answer."""
    runs = [hold(sbx, probe) for _ in range(2)]
    users = {ids(payload_of(r, probe))[0][0] for r in runs}
    for run in runs:
        run.wait(b"").assert_ok()
    assert users == {os.getuid()}


@pytest.mark.needs("root")
def test_files_written_belong_to_the_folders_owner(sbx, probe):
    owner = 54321
    os.chown(sbx.cwd, owner, owner)
    run = sbx.run(flags=[*probe.flags, "--workspace", ".:rw"], cmd=[probe.path, "leave-file", "/workspace/made"])
    assert run.code == 42, run
    made = (sbx.cwd / "made").stat()
    assert (made.st_uid, made.st_gid) == (owner, owner)


@pytest.mark.needs("user")
def test_files_written_belong_to_the_caller(sbx, probe):
    sbx.run(flags=[*probe.flags, "--workspace", ".:rw"], cmd=[probe.path, "leave-file", "/workspace/made"])
    made = (sbx.cwd / "made").stat()
    assert (made.st_uid, made.st_gid) == (os.getuid(), os.getgid())


@pytest.mark.needs("root")
def test_a_file_of_another_user_stays_unwritable(sbx, probe):
    """In a shared folder the mapping gives the owner's files, not everybody's."""
    other = sbx.cwd / "others"
    other.write_text("theirs\n")
    os.chown(other, 54322, 54322)
    other.chmod(0o600)
    run = sbx.run(flags=[*probe.flags, "--workspace", ".:rw"], cmd=[probe.path, "open-write", "/workspace/others"])
    assert run.code == 0 and run.out.startswith("contained: "), run
