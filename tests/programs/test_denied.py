"""Real programs that need more than `default` gives: each is told what it was refused and, where a profile
may allow it at all, the line for that; with it the program works."""
import shutil

import pytest

from support import slow

# Program: the command, what it is refused (operation, target), and the entry that allows it.
ALLOWABLE = {
    "strace": (["strace", "-o", "/tmp/trace", "true"], ("ptrace", "PTRACE_TRACEME"), '"@debug"'),
    "gdb": (["gdb", "-q", "-nx", "-batch", "-ex", "set startup-with-shell off", "-ex", "run", "/bin/true"],
            ("ptrace", "PTRACE_TRACEME"), '"@debug"'),
    # LeakSanitizer, which stops all threads at the end.
    "leaks": (["sh", "-c", "echo 'int main(void) { return 0; }' | gcc -fsanitize=address -x c -o /tmp/leaks - && exec /tmp/leaks"],
              ("ptrace", "PTRACE_ATTACH"), '"@debug"'),
    "perf": (["perf", "stat", "true"], ("perf_event_open", None), '"@perf"'),
    "keyctl": (["keyctl", "show"], ("keyctl", None), '"@keyring"'),
}
# These reach for the host, and no profile gives that.
NEVER = {
    "bwrap": (["bwrap", "--ro-bind", "/", "/", "true"], ("clone", "CLONE_NEWUSER|CLONE_NEWNS")),
    "unshare": (["unshare", "-U", "true"], ("unshare", "CLONE_NEWUSER")),
    "mount": (["mount", "-t", "tmpfs", "t", "/tmp"], ("mount", None)),
    "chroot": (["/usr/sbin/chroot", "/", "true"], ("chroot", None)),
    "pivot_root": (["/sbin/pivot_root", "/tmp", "/tmp"], ("pivot_root", None)),
    "dmesg": (["dmesg"], ("syslog", None)),
    "setarch": (["setarch", "-R", "true"], ("personality", "0x40000")),
    "hwclock": (["/sbin/hwclock"], ("socket", "AF_NETLINK, protocol 9")),
    "date": (["date", "-s", "2020-01-01"], ("clock_settime", None)),
    "hostname": (["hostname", "other"], ("sethostname", None)),
    "mknod": (["mknod", "/tmp/null", "c", "1", "3"], ("mknodat", "a character device")),
    "chmod": (["sh", "-c", "cp /bin/true /tmp/copy; chmod u+s /tmp/copy"], ("fchmodat", "mode 4755")),
    "prlimit": (["prlimit", "--pid", "1", "--nofile=10"], ("prlimit64", "process 1")),
    "renice": (["renice", "-n", "5", "-p", "1"], ("setpriority", "process 1")),
    "ionice": (["ionice", "-c", "3", "-u", "0"], ("ioprio_set", "user 0")),
    "taskset": (["taskset", "-p", "1", "1"], ("sched_setaffinity", "process 1")),
    "perl": (["perl", "-e", "socket(S, 17, 3, 0) or die"], ("socket", "AF_PACKET")),
}
FLAGS = ["--workspace", "none", "--timeout", f"{30 * slow.FACTOR:.0f}s"]


def refused(sbx, program, command, what):
    """The denial of a run that `program` did not manage."""
    assert shutil.which(command[0]), f"{command[0]} is not here: scripts/setup test"
    run = sbx.run(flags=FLAGS, cmd=command)
    assert run.status == "nonzero", run
    found = {(d["operation"], d["target"]): d for d in run.result["denials"] if d["comm"] == program}
    assert what in found, run
    return found[what]


@pytest.mark.parametrize("program", ALLOWABLE)
def test_the_line_in_the_result_makes_it_work(sbx, program):
    command, what, entry = ALLOWABLE[program]
    line = refused(sbx, program, command, what)["allow_with"]
    assert line == f"seccomp: {{allow: [{entry}]}}"
    run = sbx.run(f"version: 1\n{line}\n", flags=FLAGS, cmd=command).assert_ok()
    assert what not in {(d["operation"], d["target"]) for d in run.result["denials"]}


def test_a_program_that_does_without_is_told_of_too(sbx):
    """Node asks for io_uring, falls back to threads where it is refused, and says nothing."""
    (sbx.cwd / "io.js").write_text("require('fs').promises.readFile('/etc/group').then(() => console.log('read'))")
    command, flags = ["node", "/workspace/io.js"], ["--env", "UV_USE_IO_URING=1"]
    run = sbx.run("node", flags=flags, cmd=command).assert_ok()
    (denial,) = run.result["denials"]
    assert (denial["operation"], denial["comm"]) == ("io_uring_setup", "node")
    assert denial["allow_with"] == 'seccomp: {allow: ["@io-uring"]}'
    run = sbx.run(f"version: 1\nextends: [node]\n{denial['allow_with']}\n", flags=flags, cmd=command).assert_ok()
    assert run.result["denials"] == [] and run.stdout == b"read\n"


@pytest.mark.parametrize("program", NEVER)
def test_it_is_said_that_no_profile_allows_it(sbx, program):
    command, what = NEVER[program]
    assert refused(sbx, program, command, what)["allow_with"] is None
