"""What the kernel counts for the user who started sbx as well: one command does not take all of it."""
import subprocess

import pytest

# How many timers and inotify instances a process gets; more than that are not tried.
COUNT = """
import ctypes, os, time
c = ctypes.CDLL(None, use_errno=True)
timers, number = 0, ctypes.c_int()
while timers < 20000 and c.syscall(222, 1, None, ctypes.byref(number)) == 0: timers += 1
instances = 0
while instances < 100 and c.inotify_init() >= 0: instances += 1
print(timers, instances, flush=True)
time.sleep({seconds})
"""
# How many message queues of the usual size: each counts some 80 KB of RLIMIT_MSGQUEUE.
QUEUES = """
import ctypes, os
rt = ctypes.CDLL("librt.so.1", use_errno=True)
names = [b"/sbx-test-%d-%d" % (os.getpid(), i) for i in range(20)]
got = [rt.mq_open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, None) >= 0 for name in names]
for name in names: rt.mq_unlink(name)
print(sum(got))
"""


def counted(run):
    return [int(word) for word in run.stdout.split()]


def native():
    """What a program of this user gets that is in no sandbox."""
    done = subprocess.run(["/usr/bin/python3", "-c", COUNT.format(seconds=0)], capture_output=True, text=True, check=True)
    return counted(done)


def test_a_command_gets_less_than_its_user_has(sbx):
    free = native()
    run = sbx.run(cmd=["/usr/bin/python3", "-c", COUNT.format(seconds=0)]).assert_ok()
    timers, instances = counted(run)
    assert timers <= 1024 and instances <= 32, run
    assert timers < free[0] and instances < free[1], (run, free)


def test_the_rest_is_the_hosts(sbx):
    """While the command holds all that it gets."""
    running = sbx.spawn(flags=["--timeout", "60s"], cmd=["/usr/bin/python3", "-c", COUNT.format(seconds=60)], result=False)
    try:
        running.process.stdout.readline()
        timers, instances = native()
        assert timers > 1024 and instances > 32, (timers, instances)
    finally:
        running.process.terminate()
        running.process.wait(timeout=20)


@pytest.mark.parametrize("flags, timers", [(["--rlimit", "sigpending=2000"], 2000)])
def test_a_profile_may_give_more(sbx, flags, timers):
    assert counted(sbx.run(flags=flags, cmd=["/usr/bin/python3", "-c", COUNT.format(seconds=0)]).assert_ok())[0] == timers


def test_of_queues_it_gets_half_of_what_its_user_has(sbx):
    program, shown = ["/usr/bin/python3", "-c", QUEUES], ["--device", "mqueue"]
    free = int(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
    assert 1 <= int(sbx.run(flags=shown, cmd=program).assert_ok().stdout) <= 4 < free
    more = [*shown, "--rlimit", "msgqueue=600K"]
    assert 4 < int(sbx.run(flags=more, cmd=program).assert_ok().stdout) <= free


def test_of_queues_that_it_has_not_there_is_no_limit_of_ours(sbx):
    limit = ["grep", "msgqueue", "/proc/self/limits"]
    native = subprocess.run(limit, capture_output=True, text=True, check=True).stdout
    assert sbx.run(cmd=limit).assert_ok().out == native
    assert sbx.run(flags=["--device", "mqueue"], cmd=limit).assert_ok().out != native
