"""`devices: [gpu]`: the host's graphics processors, as far as the command's user may use them, and what a driver needs.
The nodes are others of this machine's, in a /dev of the run's own host."""
import os
import shutil

import pytest

OWN = ["null", "zero", "full", "random", "urandom", "tty"]
BUSYBOX = "/bin/busybox"  # static: Debian's busybox-static
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


@pytest.fixture
def host(sbx, monkeypatch, is_root):
    """A function: sbx where /dev has `nodes`, each being another one of this machine's, and `more` was done."""
    user = [] if is_root else ["--user", "--map-current-user", "--keep-caps"]

    def make(nodes, more=""):
        dev = sbx.folder / "dev"
        dev.mkdir()
        lines = [f"mount -t tmpfs none {dev}", f"mkdir {dev}/pts {dev}/shm {dev}/dri", f"mount --rbind /dev/pts {dev}/pts",
                 f"ln -s pts/ptmx {dev}/ptmx"]
        for name, node in (dict(zip(OWN, OWN)) | nodes).items():
            lines += [f": > {dev}/{name}", f"mount --bind /dev/{node} {dev}/{name}"]
        script = "\n".join([*lines, more, f"mount --rbind {dev} /dev", 'exec "$@"'])
        monkeypatch.setattr(sbx, "around", lambda cwd: ["unshare", *user, "--mount", "--propagation", "private", "sh", "-ec", script, "sh"])
        return sbx
    return make


NODES = {"dri/renderD128": "zero", "dri/card0": "zero", "nvidia0": "full", "nvidiactl": "zero", "nvidia-no": "zero"}
LOOK = "head -c 2 /dev/dri/renderD128 | od -An -tx1; echo > /dev/dri/renderD128 && ls /dev/dri; ls /dev | grep nvidia"


def test_the_nodes_are_there_and_work(host):
    run = host(NODES).run(flags=["--device", "gpu"], cmd=["sh", "-c", LOOK])
    assert run.assert_ok().out.split() == ["00", "00", "renderD128", "nvidia0", "nvidiactl"], run


def test_control_nobody_has_them_unasked(host):
    run = host(NODES).run(cmd=["sh", "-c", LOOK])
    assert run.status == "nonzero" and not run.out.split(), run


def test_what_is_named_as_well_is_there_once(host):
    sbx = host(NODES)
    profile = sbx.profile("version: 1\ndevices: [dri/renderD128, gpu]\n")
    sbx.run(profile, cmd=["test", "-c", "/dev/dri/renderD128"]).assert_ok()


def test_a_host_without_one_refuses(host):
    sbx = host({"dri/card0": "zero"})
    profile = sbx.profile("version: 1\ndevices: [fuse, gpu]\n")
    sbx.run(profile, cmd=["true"]).assert_refused("no graphics processor", ".yaml:2:17", "load its driver")


def test_one_that_the_command_may_not_open_is_named(host, is_root):
    assert os.stat("/dev/kmsg").st_mode & 0o002 == 0
    run = host({"dri/renderD128": "kmsg"}).run(flags=["--device", "gpu"], cmd=["true"])
    run.assert_refused("would not be allowed to open /dev/dri/renderD128", "udev" if is_root else "group")


def test_another_root_gets_the_libraries_of_the_driver(host, open_folder, sbx):
    root = sbx.folder / "rootfs"
    (root / "bin").mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin/busybox")
    os.symlink("busybox", root / "bin/sh")
    os.symlink("busybox", root / "bin/cat")
    driver = sbx.folder / "driver"
    driver.mkdir()
    (driver / "libcuda.so.1").write_text("the driver's\n")
    more = f"mount -t overlay none -o lowerdir={driver}:{LIBRARIES} {LIBRARIES}"
    run = host(NODES, more).run(flags=["--root", root, "--device", "gpu"],
                                cmd=["sh", "-c", "cat /run/gpu/libcuda.so.1; echo $LD_LIBRARY_PATH"])
    assert run.assert_ok().out == "the driver's\n/run/gpu\n", run
