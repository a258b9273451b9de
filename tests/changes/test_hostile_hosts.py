"""What stands around the changes when they are read and applied: other people's files, links on the way, second names,
folders that were swapped. Each was a way to lose something, or to hand it over."""
import os
import shutil
import subprocess
import threading

import pytest

from changes.trees import snapshot

pytestmark = pytest.mark.needs("overlay")


def changed(kept, script, **options):
    return kept.run(script, **options).assert_ok().result["changes"]["run"]


# ---- where it goes

def test_a_link_on_the_way_to_the_workspace_is_not_followed(kept, tmp_path):
    """The folder that the workspace lies in may be somebody else's."""
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / "w").mkdir(parents=True)
    (outside / "w").mkdir(parents=True)
    run = changed(kept, "echo evil > evil", workspace=f"{project}/w:overlay")
    os.rename(project, tmp_path / "moved")
    project.symlink_to(outside)
    done = kept.apply(run)
    assert done.returncode == 125 and b"symbolic link" in done.stderr, done
    assert not os.listdir(outside / "w")
    assert kept.verb("diff", run, "--stat").returncode == 0


def test_a_second_name_of_a_file_outside_keeps_its_mode_and_content(kept, tmp_path):
    """Package managers link files of a store into projects."""
    store = tmp_path / "store"
    for name in ("mode", "content"):
        store.with_name(name).write_text("store\n")
        store.with_name(name).chmod(0o644)
        os.link(store.with_name(name), kept.sbx.cwd / name)
    assert kept.apply(changed(kept, "chmod 777 mode; echo more >> content")).returncode == 0
    for name in ("mode", "content"):
        assert store.with_name(name).read_text() == "store\n" and store.with_name(name).stat().st_mode & 0o777 == 0o644
    assert (kept.sbx.cwd / "mode").stat().st_mode & 0o777 == 0o777
    assert (kept.sbx.cwd / "content").read_text() == "store\nmore\n"


def test_two_names_of_one_file_get_the_modes_that_the_run_gave_them(kept):
    (kept.sbx.cwd / "a").write_text("x\n")
    os.link(kept.sbx.cwd / "a", kept.sbx.cwd / "b")
    run = changed(kept, "chmod 755 a; chmod 700 b")
    assert kept.apply(run).returncode == 0
    assert [(kept.sbx.cwd / name).stat().st_mode & 0o777 for name in "ab"] == [0o755, 0o700]
    assert kept.apply(run).stdout.startswith(b"0 changes")


@pytest.mark.needs("root")
def test_root_hands_over_nothing_that_is_put_in_the_way(kept):
    """While root applies, the workspace's owner gives another file the name that root is working on."""
    top = kept.sbx.cwd
    os.chown(top, 12345, 12345)
    secrets = [top / f"secret{i}" for i in range(40)]
    for secret in secrets:
        secret.write_text("root's\n")
        secret.chmod(0o600)
    run = changed(kept, "for i in 1 2 3 4 5 6 7 8; do head -c 3M /dev/zero | tr '\\0' $i > big$i; mkdir d$i; chmod 755 d$i; done")
    temporary, done = top / f".sbx-apply-{run}", threading.Event()

    def swap():
        left = list(secrets)
        while left and not done.is_set():
            try:
                os.stat(temporary)
                os.rename(left[-1], temporary)
                left.pop()
            except OSError:
                pass

    thread = threading.Thread(target=swap)
    thread.start()
    for _ in range(12):
        kept.apply(run)
    done.set()
    thread.join()
    for path in top.iterdir():
        what = path.lstat()
        if path.is_file() and path.read_bytes() == b"root's\n":
            assert what.st_uid == 0 and what.st_mode & 0o777 == 0o600, path


def test_a_folder_that_the_host_made_meanwhile_stays_as_it_is(kept):
    run = changed(kept, "mkdir -m 777 secrets; echo x > secrets/f")
    (kept.sbx.cwd / "secrets").mkdir(mode=0o700)
    (kept.sbx.cwd / "secrets" / "key").write_text("host's\n")
    done = kept.apply(run)
    assert done.returncode == 125 and b"conflict" in done.stderr, done
    assert (kept.sbx.cwd / "secrets").stat().st_mode & 0o777 == 0o700


# ---- what the run found

@pytest.mark.parametrize("keep", ["diff", "apply"])
def test_what_was_swapped_in_while_the_run_went_on_is_not_deleted(kept, tmp_path, keep):
    top, other = kept.sbx.cwd, tmp_path / "other"
    for folder, name in ((top / "build", "old"), (other, "precious")):
        folder.mkdir()
        (folder / name).write_text("host\n")
    running = kept.start("rm -r build; mkdir build; echo out > build/out; echo ready; read word", keep=keep)
    os.rename(top / "build", tmp_path / "build.old")
    os.rename(other, top / "build")
    run = running.wait(stdin=b"on\n")
    if keep == "diff":
        assert kept.apply(run.result["changes"]["run"]).returncode == 125
    else:
        assert run.code == 125 and "not applied" in run.err, run
    assert (top / "build" / "precious").read_text() == "host\n"


def test_what_was_swapped_in_while_the_run_went_on_is_not_overwritten(kept, tmp_path):
    top, other = kept.sbx.cwd, tmp_path / "other"
    for folder in (top / "src", other):
        folder.mkdir()
        (folder / "a").write_text(f"{folder.name}\n")
    running = kept.start("echo more >> src/a; echo ready; read word")
    os.rename(top / "src", tmp_path / "src.old")
    os.rename(other, top / "src")
    run = running.wait(stdin=b"on\n").result["changes"]["run"]
    assert kept.apply(run).returncode == 125 and (top / "src" / "a").read_text() == "other\n"


# ---- all or nothing, also where something around it is wrong

def test_a_folder_with_something_new_in_it_stops_all_of_it(kept):
    top = kept.sbx.cwd
    (top / "d").mkdir()
    for name in ("1", "2"):
        (top / "d" / name).write_text("host\n")
    run = changed(kept, "rm -r d; echo x > f")
    (top / "d" / "3").write_text("mine\n")
    before = snapshot(top)
    done = kept.apply(run)
    assert done.returncode == 125 and b"the run did not know" in done.stderr, done
    assert snapshot(top) == before


@pytest.mark.parametrize("instead, why", [("nothing", b"is not there any more"), ("link", b"is a symlink now"), ("file", b"is a file now")])
def test_a_folder_that_is_not_there_any_more_stops_all_of_it(kept, tmp_path, instead, why):
    top = kept.sbx.cwd
    (top / "d").mkdir()
    run = changed(kept, "echo x > d/new; echo y > a")
    (top / "d").rmdir()
    if instead == "link":
        (top / "d").symlink_to(tmp_path)
    elif instead == "file":
        (top / "d").write_text("")
    done = kept.apply(run)
    assert done.returncode == 125 and b"the folder that it belongs in " + why in done.stderr, done
    assert not (top / "a").exists()


def test_a_file_that_became_a_name_of_another_that_the_host_changes(kept):
    top = kept.sbx.cwd
    for name in ("a", "b"):
        (top / name).write_text("same\n")
    run = changed(kept, "ln -f a b; echo z > 0")
    (top / "a").write_text("host\n")
    assert kept.apply(run).returncode == 0
    assert (top / "b").read_text() == "same\n" and (top / "a").read_text() == "host\n"


# ---- one thing costs no more than itself

def test_folders_that_the_run_has_closed_are_read(kept):
    name = changed(kept, "for m in 0400 0100 0000 0600; do mkdir d$m; echo x > d$m/f; done; chmod 0400 d0400; chmod 0100 d0100; "
                         "chmod 0000 d0000; chmod 0600 d0600; chmod 000 d0400/f 2>/dev/null; true")
    assert {path for path in kept.changes(name)} == {b"d%s%s" % (m, f) for m in (b"0400", b"0100", b"0000", b"0600") for f in (b"", b"/f")}
    assert kept.apply(name).returncode == 0
    assert (kept.sbx.cwd / "d0000").stat().st_mode & 0o777 == 0
    for folder in kept.sbx.cwd.iterdir():
        folder.chmod(0o700)
        assert (folder / "f").read_text() == "x\n"


def test_a_folder_that_the_host_has_closed_is_named_and_the_rest_is_kept(kept):
    closed = kept.sbx.cwd / "d"
    closed.mkdir()
    (closed / "x").write_text("host\n")
    closed.chmod(0o400)
    run = kept.run("chmod 700 d; echo y > d/x; echo z > f").assert_ok()
    closed.chmod(0o700)
    if os.geteuid() != 0:  # root looks into it
        assert any("closed" in warning for warning in run.result["warnings"]), run
    assert b"f" in kept.changes(run.result["changes"]["run"])


@pytest.mark.needs("root")
def test_a_file_that_is_mounted_is_named_and_the_rest_is_kept(kept):
    top = kept.sbx.cwd
    (top / ".env").write_text("host\n")
    (top / "other").write_text("other\n")
    script = (f"mount --bind {top}/other {top}/.env && cd {top} && {kept.sbx.binary} run {' '.join(kept.sbx.degraded)} "
              "--workspace .:overlay --keep diff -- sh -c 'echo x > .env; echo y > f'")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0 and ".env" in done.stderr and "mounted" in done.stderr, done
    run = kept.verb("diff", "--json").stdout
    assert b'"added":1' in run, run


def test_many_things_that_are_not_kept_are_counted(kept):
    script = "import socket, os\nfor i in range(100): socket.socket(socket.AF_UNIX).bind(f's{i}')\nopen('f', 'w')"
    run = kept.run(script, program="python3").assert_ok()
    assert len(run.result["warnings"]) == 21 and "80 more" in run.result["warnings"][-1], run


def test_attributes_of_many_names_are_bounded(kept):
    """Each name of a file would have all of its attributes in the supervisor's memory."""
    script = ("import os\nopen('f', 'w')\n"
              "for i in range(12): os.setxattr('f', f'user.{i}', b'x' * 60000)\n"
              "for i in range(400): os.link('f', f'l{i}')\n")
    run = kept.run(script, program="python3")
    assert run.status == "ok" and run.code == 125 and "too long, or too many" in run.err, run
    assert kept.files() == ["sbx", "sbx/changes"]


@pytest.mark.parametrize("became", ["file", "symlink"])
def test_a_folder_that_is_none_any_more_is_told_as_what_it_is(kept, became):
    top = kept.sbx.cwd
    (top / "folder").mkdir()
    (top / "folder" / "old").write_text("")
    run = changed(kept, "rm -r folder; echo x > other")
    shutil.rmtree(top / "folder")
    (top / "folder").symlink_to("other") if became == "symlink" else (top / "folder").write_text("mine\n")
    done = kept.apply(run)
    assert done.returncode == 125 and f"the host has made it a {became}, it was a folder" in done.stderr.decode(), done
    assert not (top / "other").exists()
