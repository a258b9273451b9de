"""POSIX message queues of a run's own (devices: [mqueue])."""
import ctypes
import os
import subprocess

import pytest

from support import slow

QUEUES = ["--device", "mqueue"]
WORK = """
import ctypes, os
rt = ctypes.CDLL("librt.so.1", use_errno=True)
def call(function, *arguments):
    result = function(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), function.__name__)
    return result
CREATE = os.O_CREAT | os.O_EXCL | os.O_RDWR
"""
TALK = WORK + """
call(rt.mq_open, b"/talk", CREATE, 0o600, None)
if os.fork() == 0:
    call(rt.mq_send, call(rt.mq_open, b"/talk", os.O_WRONLY), b"hello", 5, 0)
    os._exit(0)
text = ctypes.create_string_buffer(8192)
size = call(rt.mq_receive, call(rt.mq_open, b"/talk", os.O_RDONLY), text, 8192, None)
print(text[:size].decode(), os.listdir("/dev/mqueue") if os.path.isdir("/dev/mqueue") else "unseen")
call(rt.mq_unlink, b"/talk")
"""
FILE = WORK + """
call(rt.mq_open, b"/queue", CREATE, 0o600, None)
for path in ("/dev/mqueue/file", "/dev/mqueue/../../dev/file"):
    try:
        open(path, "w")
    except OSError as error:
        print(error.strerror)
print(open("/dev/mqueue/queue").read().split()[0])
try:
    os.unlink("/dev/mqueue/queue")
except OSError as error:
    print(error.strerror)
"""
HOSTS = f"/sbx-test-{os.getpid()}"


needs_landlock = pytest.mark.needs("landlock")


def talk(sbx, *flags, profile=None):
    return sbx.run(profile, flags, ["/usr/bin/python3", "-c", TALK])


@pytest.mark.parametrize("profile, flags", [
    (None, []), (None, ["--landlock", "off"]), ("strict", []), ("shell", ["--net", "host"]),
    (None, ["--user", "0:0"]), (None, ["--rlimit", "msgqueue=200K"])])
def test_two_processes_talk(sbx, profile, flags):
    assert talk(sbx, *QUEUES, *flags, profile=profile).assert_ok().out == "hello ['talk']\n"


def test_a_profile_names_them_by_their_path_too(sbx):
    run = talk(sbx, profile="version: 1\ndevices: [/dev/mqueue, mqueue]\n").assert_ok()
    assert run.out == "hello ['talk']\n"


@needs_landlock
def test_without_the_line_landlock_refuses_them(sbx):
    assert "Permission denied: 'mq_open'" in talk(sbx).assert_nonzero(1).err
    assert talk(sbx, "--landlock", "off").assert_ok().out == "hello unseen\n"  # the control


@needs_landlock
def test_a_mask_takes_them_away(sbx):
    assert "Permission denied: 'mq_open'" in talk(sbx, *QUEUES, "--mask", "/dev/mqueue").assert_nonzero(1).err


def test_no_file_is_made_or_removed_among_them(sbx):
    """What mq_open(3) does, within its limits, is all."""
    run = sbx.run(flags=QUEUES, cmd=["/usr/bin/python3", "-c", FILE]).assert_ok()
    assert run.out.splitlines() == ["Read-only file system"] * 2 + ["QSIZE:0", "Read-only file system"], run


def test_the_hosts_queues_are_not_there(sbx):
    look = WORK + f"call(rt.mq_open, {HOSTS.encode()!r}, os.O_RDWR)"
    rt = ctypes.CDLL("librt.so.1", use_errno=True)
    queue = rt.mq_open(HOSTS.encode(), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666, None)
    assert queue >= 0, os.strerror(ctypes.get_errno())
    try:
        exec(look, {})  # the control
        run = sbx.run(flags=QUEUES, cmd=["/usr/bin/python3", "-c", look]).assert_nonzero(1)
        assert "No such file or directory" in run.err, run
        assert sbx.run(flags=QUEUES, cmd=["ls", "-A", "/dev/mqueue"]).assert_ok().out == ""
    finally:
        rt.mq_unlink(HOSTS.encode())
        rt.mq_close(queue)


def test_one_run_has_not_those_of_another(sbx):
    keep = WORK + "call(rt.mq_open, b'/kept', CREATE, 0o666, None); print('made', flush=True); input()"
    with_it = sbx.spawn(flags=[*QUEUES, "--timeout", "60s"], cmd=["/usr/bin/python3", "-c", keep], result=False)
    try:
        assert with_it.process.stdout.readline() == b"made\n"
        look = WORK + "call(rt.mq_open, b'/kept', os.O_RDWR)"
        run = sbx.run(flags=QUEUES, cmd=["/usr/bin/python3", "-c", look]).assert_nonzero(1)
        assert "No such file or directory" in run.err, run
    finally:
        with_it.process.terminate()
        with_it.process.wait(timeout=20)


@pytest.mark.parametrize("place", ["/dev/mqueue", "/dev/mqueue/inner"])
def test_nothing_is_mounted_there(sbx, place):
    sbx.run(flags=[*QUEUES, "--tmpfs", place], cmd=["true"]).assert_refused("lies in /dev/mqueue, where `devices` has message queues")
    sbx.run(flags=["--tmpfs", place], cmd=["touch", f"{place}/file"]).assert_ok()


def test_a_kernel_without_them_is_told_of(sbx):
    """The third file system that init makes is theirs."""
    tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsopen", "-e", "inject=fsopen:error=ENODEV:when=3"]
    done = subprocess.run([*tracer, sbx.binary, "run", *sbx.degraded, *QUEUES, "--", "true"], cwd=sbx.cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60 * slow.FACTOR)
    assert done.returncode == 125 and "mqueue at /dev/mqueue: No such device" in done.stderr, done
    assert "no POSIX message queues (CONFIG_POSIX_MQUEUE): take mqueue out of devices" in done.stderr, done


def test_why_names_the_line(sbx):
    assert "to allow it: devices: [mqueue]" in sbx.call("explain", "--why", "path:/dev/mqueue").out
    assert "path:/dev/mqueue: allowed" in sbx.call("explain", *QUEUES, "--why", "path:/dev/mqueue").out
