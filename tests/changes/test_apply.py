"""Applying what was kept: nothing that the host has changed, nothing outside, nothing by halves."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from changes.trees import difference, remove_tree, snapshot

pytestmark = pytest.mark.needs("overlay")


def changed(kept, script, **options):
    run = kept.run(script, **options).assert_ok()
    return run.result["changes"]["run"]


# ---- the host has changed something since

@pytest.mark.parametrize("host, why", [
    (lambda top: (top / "file").write_text("mine\n"), "changed its content"),
    (lambda top: (top / "file").unlink(), "removed it"),
    (lambda top: (top / "file").chmod(0o600), "changed its mode"),
    (lambda top: ((top / "file").unlink(), (top / "file").symlink_to("/etc/passwd")), "made it a symlink, it was a file"),
    (lambda top: ((top / "file").unlink(), (top / "file").mkdir()), "made it a folder, it was a file"),
    (lambda top: ((top / "file").unlink(), os.mkfifo(top / "file")), "made it a fifo, it was a file"),
    (lambda top: (top / "new").write_text("mine\n"), "made a file of that name"),
    (lambda top: (top / "new").mkdir(), "made a folder of that name"),
    (lambda top: (top / "gone").write_text("mine\n"), "changed its content"),
    (lambda top: os.mknod(top / "new", 0o600 | 0o140000), "a socket"),
], ids=["content", "removed", "mode", "link", "folder", "fifo", "new", "new-folder", "deleted-content", "socket"])
def test_a_conflict_is_named_and_nothing_is_applied(kept, host, why):
    top = kept.sbx.cwd
    for name in ("file", "gone", "other"):
        (top / name).write_text("host\n")
    run = changed(kept, "echo run > file; rm gone; echo x > new; echo y > other")
    host(top)
    before = snapshot(top)
    done = kept.apply(run)
    assert done.returncode == 125 and why in done.stderr.decode() and b"nothing was applied" in done.stderr, done
    assert snapshot(top) == before
    assert kept.apply(run, "other").returncode == 0 and (top / "other").read_text() == "y\n"
    told = json.loads(kept.verb("apply", run, "--json").stdout)
    assert told["applied"] == 0 and told["already"] == 1 and [c["why"] for c in told["conflicts"]], told


def test_what_changes_while_the_run_goes_on_is_not_applied(kept):
    """Nobody knows which of the two the command has read."""
    top = kept.sbx.cwd
    (top / "file").write_text("one\n")
    running = kept.start("echo ready; read word; echo more >> file")
    (top / "file").write_text("two\n")
    run = running.wait(stdin=b"on\n").assert_ok().result["changes"]["run"]
    done = kept.apply(run)
    assert done.returncode == 125 and b"while the run went on" in done.stderr, done
    assert b"changed during the run" in kept.verb("diff", run, "--stat").stdout


def test_a_folder_that_holds_what_the_run_did_not_know_stays(kept):
    top = kept.sbx.cwd
    (top / "folder").mkdir()
    (top / "folder" / "old").write_text("")
    run = changed(kept, "rm -r folder")
    (top / "folder" / "mine").write_text("")
    done = kept.apply(run)
    assert done.returncode == 125 and b"the run did not know" in done.stderr, done
    assert sorted(os.listdir(top / "folder")) == ["mine", "old"]


def test_what_is_applied_is_no_change_of_the_hosts(kept):
    top = kept.sbx.cwd
    for name in ("file", "gone", "other"):
        (top / name).write_text("host\n")
    run = changed(kept, "echo run > file; rm gone; echo run > other")
    assert kept.apply(run).returncode == 0
    (top / "other").write_text("mine\n")
    shown = kept.verb("diff", run).stdout.decode()
    assert shown.count("already applied") == 4 and shown.count("the host's file has changed since") == 2, shown
    assert "# other: (the host's file has changed since" in shown


# ---- nothing outside the workspace

@pytest.mark.parametrize("swap", ["folder", "file", "parent", "workspace"])
def test_a_link_that_is_put_in_the_way_leads_nowhere(kept, tmp_path, swap):
    top, outside = kept.sbx.cwd, tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("host\n")
    (top / "d" / "e").mkdir(parents=True)
    (top / "d" / "e" / "file").write_text("host\n")
    run = changed(kept, "echo run > d/e/file; echo new > d/e/new; rm -f d/e/nothing")
    before = snapshot(outside)
    if swap == "folder":
        shutil.rmtree(top / "d" / "e")
        (top / "d" / "e").symlink_to(outside)
    elif swap == "file":
        (top / "d" / "e" / "file").unlink()
        (top / "d" / "e" / "file").symlink_to(outside / "file")
    elif swap == "parent":
        (outside / "e").mkdir()
        (outside / "e" / "file").write_text("host\n")
        before = snapshot(outside)
        shutil.rmtree(top / "d")
        (top / "d").symlink_to(outside)
    else:
        os.rename(top, tmp_path / "moved")
        top.symlink_to(outside)
    done = kept.verb("apply", run) if swap != "workspace" else subprocess.run([kept.sbx.binary, "apply", run], capture_output=True)
    assert done.returncode == 125, done
    assert snapshot(outside) == before


def test_links_that_the_run_made_are_links_and_are_not_followed(kept, tmp_path):
    """The run replaces a folder by a link to outside, and has files of the folder's names kept as well."""
    top, outside = kept.sbx.cwd, tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("host\n")
    before = snapshot(outside)
    (top / "d").mkdir()
    (top / "d" / "victim").write_text("host\n")
    run = changed(kept, f"rm -r d; ln -s {outside} d; ln -s /etc/passwd abs; ln -s ../../../../.. up; echo x > z")
    assert kept.apply(run).returncode == 0
    assert os.readlink(top / "d") == str(outside) and os.readlink(top / "abs") == "/etc/passwd"
    assert snapshot(outside) == before


@pytest.mark.needs("root")
def test_a_folder_that_is_a_mount_now_is_not_written_to(kept, tmp_path):
    top = kept.sbx.cwd
    (top / "d").mkdir()
    (top / "d" / "file").write_text("host\n")
    run = changed(kept, "echo run > d/file")
    script = f"mount -t tmpfs none {top}/d && echo host > {top}/d/file && {kept.sbx.binary} apply {run}; code=$?; cat {top}/d/file; exit $code"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True)
    assert done.returncode == 125 and done.stdout == b"host\n" and b"another file system" in done.stderr, done


def test_devices_and_sockets_are_not_kept_and_it_is_said(kept):
    run = kept.run("import socket; s = socket.socket(socket.AF_UNIX); s.bind('s'); open('f', 'w')", program="python3").assert_ok()
    assert any("a socket" in warning for warning in run.result["warnings"]), run
    assert kept.changes(run.result["changes"]["run"]) == {b"f": "added"}


def test_bits_that_hand_over_rights_are_not_kept(kept):
    """The host's own program with such a bit: what a run has rewritten has it no more."""
    program = kept.sbx.cwd / "t"
    program.write_text("old\n")
    program.chmod(0o6755)
    assert kept.apply(changed(kept, "echo new > t; ! chmod 4755 t")).returncode == 0
    assert program.read_text() == "new\n" and program.stat().st_mode & 0o7777 == 0o755


def test_a_file_of_exabytes_harms_nobody(kept):
    started = time.monotonic()
    run = kept.run("truncate -s 8000000000G huge; truncate -s 2T large; echo x > small").assert_ok()
    assert time.monotonic() - started < 10
    assert any("huge" in warning for warning in run.result["warnings"]), run
    name = run.result["changes"]["run"]
    assert set(kept.changes(name)) == {b"large", b"small"}
    assert kept.apply(name).returncode == 0
    what = os.stat(kept.sbx.cwd / "large")
    assert what.st_size == 2 << 40 and what.st_blocks < 100


def test_many_names_and_deep_folders_are_bounded(kept):
    """A path costs its whole length for each of its parts: more than a program can read is refused, in time."""
    started = time.monotonic()
    script = ("import os\nopen('first', 'w')\n"
              "for i in range(2000):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\n")
    run = kept.run(script, program="python3", profile={"version": 1, "workspace": {"size": "1G"}, "limits": {"memory": "1G"}})
    assert time.monotonic() - started < 20
    assert run.code == 125 and "too long" in run.err and run.status == "ok", run
    assert not kept.files() or kept.files() == ["sbx", "sbx/changes"]


@pytest.mark.parametrize("levels", [10, 40, 300])
def test_deep_folders_are_kept_and_applied(kept, levels):
    script = f"import os\nfor i in range({levels}):\n    os.mkdir('d'); os.chdir('d')\n    open('f', 'w').write(str(i))\n"
    name = changed(kept, script, program="python3")
    assert len(kept.changes(name)) == 2 * levels
    assert kept.apply(name).returncode == 0
    assert (kept.sbx.cwd / ("d/" * levels) / "f").read_text() == str(levels - 1)
    again = changed(kept, "rm -r d")
    assert kept.apply(again).returncode == 0 and not os.listdir(kept.sbx.cwd)


# ---- interrupted

SCRIPT = """
for i in 1 2 3 4 5 6 7 8 9 10; do head -c 200000 /dev/urandom > new$i; echo run > old$i; mkdir -p folder/$i; echo $i > folder/$i/f; done
rm -r gone; rm was; mkdir was; echo inside > was/f; ln new1 linked; chmod 555 folder; chmod 711 kept; rm -r turned; echo file > turned
"""


def test_apply_that_is_killed_goes_on_from_there(kept, tmp_path):
    top = kept.sbx.cwd
    for number in range(1, 11):
        (top / f"old{number}").write_text("host\n" * 1000)
    for folder in ("gone/a/b", "kept", "turned/c"):
        (top / folder).mkdir(parents=True)
        (top / folder / "f").write_text("host\n")
    (top / "was").write_text("host\n")
    name = changed(kept, SCRIPT)
    before, found = snapshot(top), tmp_path / "found"
    shutil.copytree(top, found, symlinks=True)
    state = tmp_path / "kept-state"
    shutil.copytree(kept.state, state, symlinks=True)

    def again():
        for folder, source in ((top, found), (kept.state, state)):
            remove_tree(folder)
            shutil.copytree(source, folder, symlinks=True)

    whole = []
    for _ in range(5):
        again()
        started = time.monotonic()
        assert kept.apply(name).returncode == 0
        whole.append(time.monotonic() - started)
    after, interrupted = snapshot(top), 0
    random.seed(7)
    for _ in range(200):
        again()
        process = subprocess.Popen([kept.sbx.binary, "apply", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(random.random() * min(whole))
        process.kill()
        interrupted += process.wait() == -signal.SIGKILL
        process.communicate()
        no_halves(top, before[0], after[0])
        done = kept.apply(name)
        assert done.returncode == 0, done.stderr.decode()
        assert snapshot(top) == after
    assert interrupted > 100


def no_halves(top, before, after):
    """Each path has what it had or what it is to have; folders may be open meanwhile."""
    now = snapshot(top)[0]
    unfinished = {path for path in now if b".sbx-apply-" in path}
    assert len(unfinished) <= 1
    for path in (now.keys() | before.keys() | after.keys()) - unfinished:
        states = {before.get(path, (None,))[0::2], after.get(path, (None,))[0::2]}
        turned = len({state[0] for state in states} - {None}) == 2
        assert now.get(path, (None,))[0::2] in states or (turned and path not in now), path


def test_discard_takes_away_what_a_killed_apply_left(kept):
    name = changed(kept, "echo x > f")
    folder = kept.state / "sbx" / "changes" / name
    (folder / "applying").write_text("")
    left = kept.sbx.cwd / f".sbx-apply-{name}"
    left.write_text("half")
    assert kept.verb("discard", name).returncode == 0
    assert not left.exists() and kept.files() == ["sbx", "sbx/changes"]


@pytest.mark.needs("root")
def test_a_workspace_that_is_read_only_says_so_each_time(kept):
    """Of a missing file, unlink(2) says there that the file system is read-only, too."""
    top = kept.sbx.cwd
    name = changed(kept, "echo x > f")
    script = f"mount --bind {top} {top} && mount -o remount,bind,ro {top}; {kept.sbx.binary} apply {name}; {kept.sbx.binary} apply {name}"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True)
    assert done.returncode == 125 and done.stderr.count("cannot change f in the workspace") == 2 and ".sbx-apply" not in done.stderr, done
    assert not (kept.state / "sbx" / "changes" / name / "applying").exists()


# ---- what is given back is the owner's

@pytest.mark.needs("root")
def test_applied_by_root_everything_is_the_workspace_owners(kept):
    top = kept.sbx.cwd
    os.chown(top, 12345, 23456)
    (top / "file").write_text("host\n")
    os.chown(top / "file", 12345, 23456)
    name = changed(kept, "echo x >> file; mkdir d; echo y > d/f; ln -s f l; mkfifo p")
    assert kept.apply(name).returncode == 0
    for path in ("file", "d", "d/f", "l", "p"):
        what = os.lstat(top / path)
        assert (what.st_uid, what.st_gid) == (12345, 23456), path


def test_some_paths_are_applied_with_the_folders_they_need(kept):
    name = changed(kept, "mkdir -p a/b c; echo 1 > a/b/one; echo 2 > a/b/two; echo 3 > c/three")
    assert kept.apply(name, "a/b/one").returncode == 0
    assert set(snapshot(kept.sbx.cwd)[0]) == {b"a", b"a/b", b"a/b/one"}
    done = kept.apply(name, "nothing")
    assert done.returncode == 125 and b"nothing has changed at nothing" in done.stderr
    for nothing in ("", "/"):  # as unset variables of a script leave it
        assert kept.apply(name, nothing).returncode == 125
    assert kept.apply(name, f"{kept.sbx.cwd}/c/").returncode == 0
    assert difference({}, snapshot(kept.sbx.cwd)[0]).keys() == {b"a", b"a/b", b"a/b/one", b"c", b"c/three"}
