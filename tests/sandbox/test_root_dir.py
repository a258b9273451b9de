"""A root of the user's own, which somebody else may have filled: nothing in it reaches the host, and it works or is
refused by name."""
import os
import shutil
import stat
import subprocess

import pytest

BUSYBOX = "/bin/busybox"  # static: Debian's busybox-static
APPLETS = ("sh", "ls", "cat", "id", "touch", "mount", "stat", "readlink")


@pytest.fixture
def root(sbx, open_folder):
    """A small root that works."""
    folder = sbx.folder / "rootfs"
    for name in ("bin", "etc", "usr/lib"):
        (folder / name).mkdir(parents=True)
    shutil.copy(BUSYBOX, folder / "bin/busybox")
    for name in APPLETS:
        os.symlink("busybox", folder / "bin" / name)
    (folder / "etc/motd").write_text("the root's own\n")
    return folder


@pytest.fixture
def outside(sbx):
    """What a link in the root may point to and nobody inside is to see."""
    folder = sbx.folder / "outside"
    folder.mkdir()
    (folder / "secret").write_text("of the host\n")
    return folder


def sh(sbx, root, script, *flags):
    return sbx.run(flags=["--root", root, *flags], cmd=["sh", "-c", script])


def snapshot(top):
    return sorted((os.path.relpath(os.path.join(folder, name), top), os.lstat(os.path.join(folder, name)).st_mode)
                  for folder, folders, files in os.walk(top) for name in folders + files)


def test_it_is_read_only_whoever_owns_it(sbx, root):
    for folder, _, _ in os.walk(root):
        os.chmod(folder, 0o777)
    before = snapshot(root)
    run = sh(sbx, root, "cat /etc/motd; for d in / /bin /etc /usr /usr/lib; do touch $d/x && echo $d; done; touch /tmp/x && echo scratch")
    assert run.out == "the root's own\nscratch\n" and snapshot(root) == before, run


@pytest.mark.parametrize("link", ["absolute", "relative"])
def test_links_at_the_top_mean_the_inside(sbx, root, outside, link):
    target = str(outside) if link == "absolute" else "../../../../../.." + str(outside)
    os.symlink(target, root / "srv")
    assert (root / "srv/secret").exists() or link == "relative"  # followed on the host, it is reached
    run = sh(sbx, root, "readlink /srv; cat /srv/secret")
    assert run.out == f"{target}\n" and run.code != 0 and "of the host" not in run.out, run


@pytest.mark.parametrize("name", ["dev", "proc", "tmp", "run", "sys"])
@pytest.mark.parametrize("what", ["link", "file", "fifo", "missing"])
def test_what_every_sandbox_makes_itself_is_not_the_roots(sbx, root, outside, name, what):
    {"link": lambda: os.symlink(outside, root / name), "file": lambda: (root / name).write_text("x"),
     "fifo": lambda: os.mkfifo(root / name), "missing": lambda: None}[what]()
    run = sh(sbx, root, "ls -d /dev/null /proc/self/status && echo x > /tmp/x && cat /tmp/x; ls /*/secret")
    assert run.out.split() == ["/dev/null", "/proc/self/status", "x"], run


def test_etc_as_a_link_is_refused(sbx, root, outside):
    shutil.rmtree(root / "etc")
    os.symlink(outside, root / "etc")
    sh(sbx, root, "echo be''gun").assert_refused("symbolic link at /etc", "make it a folder")
    os.remove(root / "etc")
    run = sh(sbx, root, "id -u; cat /etc/passwd").assert_ok()
    assert "sandbox:" in run.out


def test_a_place_for_the_workspace_that_is_none(sbx, root, outside):
    os.symlink(outside, root / "workspace")
    sh(sbx, root, "true").assert_refused("symbolic link at /workspace", "workspace.at")
    sh(sbx, root, "pwd", "--set", "workspace.at=/project").assert_ok()
    os.remove(root / "workspace")
    (root / "workspace").write_text("a file\n")
    sh(sbx, root, "true").assert_refused("file at /workspace", "workspace.at")
    assert sh(sbx, root, "cat /workspace", "--workspace", ".:none", "--workdir", "/").assert_ok().out == "a file\n"


def test_a_mount_below_what_the_root_lacks_is_refused_and_nothing_is_made(sbx, root, outside):
    before = snapshot(root)
    sh(sbx, root, "true", "--ro", f"{outside}:/usr/lib/new/place").assert_refused("/usr/lib/new/place", "has to exist there")
    sh(sbx, root, "cat /new/place/secret", "--ro", f"{outside}:/new/place").assert_ok()
    assert snapshot(root) == before


def test_a_link_below_the_top_leads_no_mount_out(sbx, root, outside):
    os.symlink(outside, root / "usr/lib/here")
    (outside / "in").mkdir()
    sh(sbx, root, "true", "--ro", f"{sbx.cwd}:/usr/lib/here/in").assert_refused("/usr/lib/here/in")


def test_setuid_files_give_nobody_anything(sbx, root):
    (root / "bin/su").write_bytes((root / "bin/busybox").read_bytes())
    (root / "bin/su").chmod(0o6755)
    run = sh(sbx, root, "mount")
    lines = [line for line in run.assert_ok().out.splitlines() if " on /bin " in line]
    assert len(lines) == 1 and "nosuid" in lines[0] and "nodev" in lines[0] and "(ro" in lines[0], run


@pytest.mark.needs("root")
def test_a_device_in_it_cannot_be_opened(sbx, root):
    os.mknod(root / "etc/zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    os.chmod(root / "etc/zero", 0o666)
    with open(root / "etc/zero", "rb") as device:  # on the host it works
        assert device.read(1) == b"\0"
    run = sh(sbx, root, "cat /etc/zero")
    assert run.code != 0 and "Permission denied" in run.err, run


def test_a_program_whose_loader_is_missing_is_not_found(sbx, root):
    source = sbx.folder / "dynamic.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", source, "-o", root / "bin/dynamic"], check=True)
    (root / "bin/script").write_text("#!/no/such/interpreter\n")
    (root / "bin/script").chmod(0o755)
    for program in ("dynamic", "script"):
        run = sbx.run(flags=["--root", root], cmd=[f"/bin/{program}"])
        run.assert_status("not_found", 127)
        assert "or the interpreter that it names" in run.err


def test_what_cannot_be_entered_stays_closed(sbx, root):
    (root / "etc").chmod(0)
    run = sh(sbx, root, "ls /etc")
    (root / "etc").chmod(0o755)
    assert run.code == 1 and "Permission denied" in run.err


def test_a_root_that_is_none(sbx, root, outside):
    sh(sbx, outside / "secret", "true").assert_refused("root folder", "ENOTDIR")
    sh(sbx, outside / "missing", "true").assert_refused("root folder", "ENOENT")
    sh(sbx, "/", "true").assert_refused("cannot be the host's")
    os.symlink(root, sbx.folder / "by-name")  # whoever names it may use links
    sh(sbx, sbx.folder / "by-name", "cat /etc/motd").assert_ok()


def test_the_commands_user_has_a_name_also_in_a_root_that_does_not_know_it(sbx, root):
    accounts = {"passwd": "root:x:0:0::/:/bin/sh\nsandbox:x:77:77::/:/bin/sh", "group": "root:x:0:\n"}
    for name, text in accounts.items():
        (root / "etc" / name).write_text(text)
    run = sh(sbx, root, "id -un; id -gn; cat /etc/passwd; echo x > /etc/passwd").assert_nonzero(1)
    user, group = run.result["isolation"]["user"].split(":")
    named = f"sandbox-{user}"
    assert run.out == f"{named}\nsandbox\n{accounts['passwd']}\n{named}:x:{user}:{group}:sandbox:/tmp:/bin/sh\n", run
    assert {name: (root / "etc" / name).read_text() for name in accounts} == accounts


def test_accounts_of_a_root_that_are_no_plain_files_stay_what_they_are(sbx, root, outside):
    os.symlink("motd", root / "etc/passwd")
    os.mkfifo(root / "etc/group")
    run = sh(sbx, root, "cat /etc/passwd; test -p /etc/group && echo fifo").assert_ok()
    assert run.out == "the root's own\nfifo\n"


def test_a_user_whom_the_root_knows_keeps_its_name(sbx, root):
    for user in ("5:6", "0:0"):
        (root / "etc/passwd").write_text("one:x:0:0::/:\nfive:x:5:6::/:\n")
        run = sh(sbx, root, "id -un; cat /etc/passwd", "--user", user)
        assert run.out.startswith({"5:6": "five\n", "0:0": "one\n"}[user]) and "sandbox" not in run.out, run


def test_a_file_can_only_be_an_image(sbx):
    (sbx.cwd / "root.tar").write_bytes(b"")
    sbx.run(flags=["--root", "root.tar"], cmd=["true"]).assert_refused("Not a directory", f"--root oci:{sbx.cwd}/root.tar")
    sbx.run(flags=["--root", "docker://alpine"], cmd=["true"]).assert_refused("ENOENT", "an image is oci:FILE")
