"""A copy of the host's file or folder is the command's own: it may change it, and nobody else sees that."""
import os
import socket
import stat

import pytest


@pytest.fixture
def data(tmp_path, open_folder):
    folder = tmp_path / "data"
    (folder / "inner").mkdir(parents=True)
    (folder / "text").write_text("host\n")
    (folder / "inner/run").write_text("#!/bin/sh\necho ran\n")
    (folder / "inner/run").chmod(0o755)
    os.link(folder / "text", folder / "again")
    os.symlink("inner/run", folder / "link")
    os.utime(folder / "text", (1_000_000_000, 1_000_000_000))
    return folder


def test_a_folder_is_copied_with_its_modes_links_and_times(sbx, data):
    run = sbx.run(flags=["--copy-in", f"{data}:/tmp/in/data"],
                  cmd=["sh", "-c", "cd /tmp/in/data; ls -A; ./link; [ text -ef again ] && stat -c '%Y %h %U' text; "
                       "echo more >> text; cat again; rm -r inner; mv /tmp/in/data /tmp/elsewhere && ls /tmp/elsewhere; ls -A /.sbx/copy* /tmp/in"])
    lines = run.assert_ok().out.split()
    assert lines[:4] == ["again", "inner", "link", "text"] and "ran" in lines and "1000000000" in lines
    assert lines[lines.index("1000000000") + 1:][:4] == ["2", "sandbox", "host", "more"], run.out
    # Renamed, so it is no mount; and where it came from is gone.
    assert lines[-5:] == ["again", "link", "text", "/.sbx/copy[0]:", "/tmp/in:"], run.out
    assert (data / "text").read_text() == "host\n" and (data / "inner/run").exists()


def test_a_file_is_copied(sbx, data):
    run = sbx.run(flags=["--copy-in", f"{data}/inner/run:/tmp/program"],
                  cmd=["sh", "-c", "/tmp/program; echo 'echo changed' >> /tmp/program; /tmp/program; rm /tmp/program; ls /tmp"])
    assert run.assert_ok().out == "ran\nran\nchanged\n"
    assert (data / "inner/run").read_text() == "#!/bin/sh\necho ran\n"


def test_a_profile_says_so_relative_to_its_folder(sbx, data):
    (sbx.folder / "note").write_text("from the profile's folder\n")
    profile = {"version": 1, "mounts": [{"tmpfs": "/scratch", "size": "1M"}, {"copy": "./note", "at": "/scratch/note"},
                                        {"copy": "./missing", "at": "/scratch/missing", "optional": True}]}
    assert sbx.run(profile=profile, cmd=["sh", "-c", "cat /scratch/note; ls /scratch"]).assert_ok().out == "from the profile's folder\nnote\n"


@pytest.mark.parametrize("place", ["/data", "/workspace/data", "/usr/data"])
def test_only_scratch_takes_copies(sbx, data, place):
    run = sbx.run(flags=["--copy-in", f"{data}:{place}"], cmd=["sh", "-c", "echo be''gun"])
    run.assert_refused("copy", place, "not in scratch", "/tmp")
    assert not run.err.endswith("--tmpfs /\n")  # which nobody can have
    assert "begun" not in run.out


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), lambda path: path.symlink_to("/dev/null")],
                         ids=["pipe", "socket", "device"])
def test_what_has_no_content_is_not_copied(sbx, tmp_path, make):
    make(tmp_path / "it")
    run = sbx.run(flags=["--copy-in", f"{tmp_path}/it:/tmp/x"], cmd=["true"])
    run.assert_refused("cannot copy", "a pipe, a socket or a device")
    assert "defect" not in run.err


def test_what_is_missing_too_large_or_in_the_way_ends_the_run(sbx, data):
    sbx.run(flags=["--copy-in", f"{data}/none:/tmp/x"], cmd=["true"]).assert_refused("none", "does not exist")
    (data / "big").write_bytes(b"x" * (2 << 20))
    sbx.run(flags=["--tmpfs", "/scratch:1M", "--copy-in", f"{data}:/scratch/x"], cmd=["true"]).assert_refused("ENOSPC", "more room")
    both = ["--copy-in", f"{data}:/tmp/x", "--copy-in", f"{data}/text:/tmp/x/text"]
    sbx.run(flags=both, cmd=["true"]).assert_refused("EEXIST")
    sbx.run(flags=["--copy-in", "data"], cmd=["true"]).assert_refused("SRC:/DST")


@pytest.mark.needs("root")
def test_what_the_commands_user_may_not_read_ends_the_run(sbx, data):
    """Which root may, who starts it."""
    closed = data / "inner/run"
    closed.chmod(0o600)
    os.chown(closed, 4242, 4242)
    run = sbx.run(flags=["--copy-in", f"{data}:/tmp/in"], cmd=["true"])
    run.assert_refused("copy it to /tmp/in", "EACCES", "that the command's user may not read")


def test_rights_and_odd_things_are_not_copied(sbx, data):
    (data / "setuid").write_text("x")
    (data / "setuid").chmod(0o6755)
    os.mkfifo(data / "fifo")
    run = sbx.run(flags=["--copy-in", f"{data}:/tmp/x"], cmd=["stat", "-c", "%a %F", "/tmp/x/setuid", "/tmp/x/fifo"]).assert_ok()
    assert run.out.splitlines()[0] == "755 regular file" and run.out.splitlines()[1].endswith("fifo")
    os.remove(data / "fifo")
    sbx.run(flags=["--copy-in", f"{data}/setuid:/tmp/x"], cmd=["stat", "-c", "%a", "/tmp/x"]).assert_ok()
    assert stat.S_IMODE(os.stat(data / "setuid").st_mode) & 0o777 == 0o755


def test_a_link_on_the_host_is_not_followed_out_of_the_copy(sbx, data):
    secret = data.parent / "secret"
    secret.write_text("not named\n")
    os.symlink(secret, data / "out")
    run = sbx.run(flags=["--copy-in", f"{data}:/tmp/x"], cmd=["sh", "-c", "readlink /tmp/x/out; cat /tmp/x/out"])
    run.assert_nonzero(1)
    assert run.out == f"{secret}\n" and "not named" not in run.out


def test_no_name_in_the_source_is_in_the_way(sbx, data):
    for name in (".sbx-links", ".links"):
        (data / name).mkdir()
    assert sbx.run(flags=["--copy-in", f"{data}:/tmp/x"], cmd=["ls", "-A", "/tmp/x"]).assert_ok().out.split()[:2] == [".links", ".sbx-links"]


def test_explain_tells_where_a_path_is_from(sbx, data):
    flags = [*sbx.degraded, "--copy-in", f"{data}:/tmp/x"]
    assert "copy it to /tmp/x" in sbx.call("explain", *flags, "--", "true").out.replace("'", "")
    assert "a copy of the host's" in sbx.call("explain", "--why", "path:/tmp/x/text", *flags, "--", "true").out
