"""The root file system, the tools and devices in it, and /proc."""
import os
import shutil
import stat
import subprocess

import pytest

PYTHON = "/usr/bin/python3"


def sh(sbx, script, *flags, profile=None, **options):
    return sbx.run(profile, flags, ["sh", "-c", script], **options)


def test_the_root_holds_programs_and_little_else(sbx):
    run = sh(sbx, "ls / /etc; ls -A /home /root /var /run /opt /srv /mnt /boot 2>&1; cat /etc/shadow /etc/machine-id")
    assert set(run.out.split("\n")[1:run.out.split("\n").index("/etc:") - 1]) <= \
        {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr", "workspace"}, run
    assert run.code != 0 and "root:" not in run.out


def test_passwd_and_group_know_the_payload_only(sbx):
    run = sh(sbx, "id -un; cut -d: -f1 /etc/passwd; getent passwd $(id -u)").assert_ok()
    assert len(run.out.splitlines()) < 8 and "postgres" not in run.out


def test_a_folder_as_root(sbx, probe):
    root = sbx.folder / "rootfs"
    (root / "bin").mkdir(parents=True)
    (root / "etc").mkdir()
    (root / "etc" / "motd").write_text("my own\n")
    shutil.copy(probe.host_path, root / "bin" / "probe")
    run = sbx.run(flags=["--root", root], cmd=["/bin/probe", "file-holds", "/etc/motd", "my own"])
    assert run.code == 42, run
    run = sbx.run(flags=["--root", root], cmd=["/bin/probe", "finds", "/usr/bin/env"])
    assert run.code == 0, run
    run = sbx.run(flags=["--root", root], cmd=["/bin/probe", "create-in", "/etc"])
    assert run.code == 0 and os.listdir(root / "etc") == ["motd"], run


def test_an_empty_root(sbx, probe):
    run = sbx.run(flags=["--root", "empty", *probe.flags], cmd=[probe.path, "finds", "/usr"])
    assert run.code == 0, run
    run = sbx.run(flags=["--root", "empty", *probe.flags], cmd=[probe.path, "lists", "/"])
    names = set(run.out.split()[3:])
    assert names <= {"dev", "etc", "proc", "tmp", "workspace", "sbx_probe"}, run
    sbx.run(flags=["--root", "empty"], cmd=["true"]).assert_status("not_found", 127)


def test_the_root_cannot_be_written(sbx):
    run = sh(sbx, "for d in / /usr /etc /dev /proc /usr/bin; do touch $d/x && echo $d; done")
    assert not run.out, run


# ---- tools and devices

def test_a_virtualenv_is_shown_and_found(sbx):
    venv = sbx.folder / "venv"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True, timeout=60)
    (next(venv.glob("lib/python3*/site-packages")) / "only_here.py").write_text("print('found')\n")
    run = sbx.run(flags=["--tool", "python3"], cmd=["python3", "-c", "import only_here, sys; print(sys.prefix)"],
                  env={"PATH": f"{venv}/bin:{os.environ['PATH']}"})
    assert run.assert_ok().out == f"found\n{venv}\n"
    run = sh(sbx, f"touch {venv}/x; ls -A {venv.parent}", "--tool", "python3",
             env={"PATH": f"{venv}/bin:{os.environ['PATH']}"})
    assert run.out == "venv\n" and not (venv / "x").exists(), run


@pytest.mark.needs("root", "program:pyenv")
def test_the_python_of_pyenv_is_found_behind_its_shim(sbx):
    want = subprocess.check_output(["python3", "-c", "import sys; print(sys.version)"], text=True, cwd=sbx.cwd)
    run = sbx.run("python", cmd=["python3", "-c", "import sys, ssl, sqlite3; print(sys.version)"])
    assert run.assert_ok().out == want


def test_an_unknown_tool_is_refused_unless_it_is_optional(sbx):
    sh(sbx, "true", "--tool", "nosuchtool").assert_refused("nosuchtool", "PATH")
    sh(sbx, "true", "--tool", "nosuchtool?").assert_ok()


def test_the_devices_are_these_and_work(sbx):
    names = set(sbx.run(cmd=["ls", "/dev"]).assert_ok().out.split())
    assert names == {"fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom",
                     "zero"}
    run = sh(sbx, "head -c 4 /dev/urandom | wc -c; head -c 9 /dev/zero | wc -c; echo x > /dev/null && echo fine; "
                  "head -c 1 /dev/zero > /dev/full")
    assert run.out.split() == ["4", "9", "fine"] and "No space left" in run.err, run


def test_dev_stdout_and_dev_stderr_can_be_opened(sbx):
    """Scripts write `echo oops > /dev/stderr`; the pipes belong to whoever started sbx, root perhaps."""
    run = sh(sbx, "cat /dev/stdin; echo out > /dev/stdout; echo err > /dev/stderr; echo fd > /dev/fd/1", stdin=b"in\n")
    assert (run.out, run.err) == ("in\nout\nfd\n", "err\n"), run


@pytest.mark.skipif(not os.path.exists("/dev/fuse"), reason="this host has no /dev/fuse")
def test_one_more_device_when_it_is_named(sbx):
    assert "fuse" in sh(sbx, "ls /dev", "--device", "fuse").assert_ok().out
    device = os.stat("/dev/fuse")
    assert stat.S_ISCHR(device.st_mode)


def test_a_device_that_the_host_lacks_is_refused(sbx):
    sh(sbx, "true", "--device", "nosuchdevice").assert_refused("nosuchdevice")


# ---- proc

def test_proc_shows_the_sandbox_and_no_settings_can_be_changed(sbx):
    run = sh(sbx, "ls /proc | grep -c '^[0-9]'; echo 1 > /proc/sys/kernel/panic; echo b > /proc/sysrq-trigger; "
                  "wc -c < /proc/keys; wc -c < /proc/timer_list; ls /proc/1/fd")
    assert int(run.out.split()[0]) <= 6, run
    assert "Read-only" in run.err and "Permission denied" in run.err


def test_a_mask_in_proc(sbx):
    """The payload's process hides what is always hidden, while init makes the root, and does it before the profile's."""
    run = sh(sbx, "wc -c < /proc/version; wc -c < /proc/keys; ls /proc/fs /proc/acpi", "--mask", "/proc/version",
             "--mask", "/proc/f*").assert_ok()
    assert run.out.split()[:2] == ["0", "0"] and "ext4" not in run.out, run
