"""The payload cannot reach calls that have no business in a sandbox, nor any foreign call table."""
import pytest

from escape.attacks import ROOT_INSIDE, Attack, test_contained, test_works_without_its_walls  # noqa: F401
from support import machine

# Reachable by anybody on an ordinary kernel: the filter alone stands before them.
FOR_EVERYBODY = ("io_uring_setup", "userfaultfd", "keyctl", "add_key", "request_key", "ptrace", "kcmp",
                 "personality", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "perf_event_open",
                 *(["modify_ldt"] if machine.X86_64 else []))
# For root of the host only: no capability inside gives them back, so the control is without a sandbox.
FOR_ROOT = ("bpf", "syslog", "init_module", "finit_module", "delete_module", "reboot", "kexec_load", "swapon",
            "acct", "fanotify_init", "quotactl", "adjtimex", *(["iopl", "ioperm"] if machine.X86_64 else []))
GETPID_32BIT, GETPID = 20, 39
# Code of 64 bits can enter another table on x86-64 alone; 32-bit programs of arm64 are another ELF.
FOREIGN = [
    Attack("cannot_use_the_32_bit_table", f"call-32bit {GETPID_32BIT}", walls=("install_seccomp",)),
    Attack("cannot_mount_by_the_32_bit_table", "mount-32bit", walls=("install_seccomp",)),
    # A kernel without x32 answers ENOSYS; with the filter nothing answers at all.
    Attack("cannot_use_the_x32_table", f"call-x32 {GETPID}", walls=("install_seccomp",)),
] if machine.X86_64 else []

ATTACKS = [
    *[Attack(f"cannot_call_{name}", f"call {name}", walls=("install_seccomp",)) for name in FOR_EVERYBODY],
    *[Attack(f"cannot_call_{name}", f"call {name}", bare="root") for name in FOR_ROOT],
    *FOREIGN,
    Attack("is_filtered", "filtered", walls=("install_seccomp",)),
    Attack("cannot_open_by_handle", "open-handle /usr", bare="root"),
]


if machine.X86_64:
    @pytest.mark.parametrize("foreign", FOREIGN, ids=[each.verb.partition(" ")[0] for each in FOREIGN])
    def test_a_foreign_table_kills(stage, foreign):
        run = stage.contained(foreign)
        assert run.status == "seccomp" or "SIGSYS" in run.out, run


def test_a_denied_call_kills_when_the_profile_says_so(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--set", "seccomp.on_deny=kill"], cmd=[probe.path, "fsopen"])
    # The probe tries in a child, which dies alone.
    assert "killed by SIGKILL" in run.out or run.status == "seccomp", run
    assert [d["operation"] for d in run.result["denials"]] == ["fsopen"], run


def test_without_a_listener_it_is_the_kernel_that_kills(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--set", "seccomp.on_deny=kill"], cmd=[probe.path, "fsopen"], result=False)
    assert "SIGSYS" in run.out or run.code == 159, run


# A filter of its own is asked before ours where somebody listens: an error is stronger than a question (seccomp(2)).
OWN_FILTER = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
class Step(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.POINTER(Step))]
keyctl, refuse, allow = KEYCTL, 0x00050001, 0x7fff0000
steps = (Step * 4)(Step(0x20, 0, 0, 0), Step(0x15, 0, 1, keyctl), Step(0x06, 0, 0, refuse), Step(0x06, 0, 0, allow))
program = ctypes.byref(Program(4, steps))
libc.prctl(38, 1, 0, 0, 0)
done = libc.syscall(SECCOMP, 1, 0, program) if sys.argv[1] == "seccomp" else libc.prctl(22, 2, program, 0, 0)
print("installed", done, flush=True)
libc.syscall(keyctl, 0, 0, 0, 0, 0)
print("lives", flush=True)
""".replace("KEYCTL", str(machine.call(250, 219))).replace("SECCOMP", str(machine.call(317, 277)))


@pytest.mark.needs("landlock", "cgroup")
@pytest.mark.parametrize("way", ["seccomp", "prctl"])
def test_no_filter_of_its_own_turns_a_kill_into_an_error(sbx, way):
    command = ["/usr/bin/python3", "-c", OWN_FILTER, way]
    run = sbx.run("strict", cmd=command).assert_status("seccomp", 159)
    assert [d["operation"] for d in run.result["denials"]] == [way] and not run.out, run
    assert run.result["denials"][0]["allow_with"] == "seccomp: {deny: !replace []}"
    control = sbx.run("strict", flags=["--set", "seccomp.deny=!replace []"], cmd=command).assert_ok()
    assert control.out == "installed 0\nlives\n" and control.result["denials"] == []


def test_capabilities_inside_do_not_open_the_filter(stage):
    """Seccomp must hold by itself when every capability is left (but the filter is there)."""
    for name in FOR_EVERYBODY:
        attack = Attack(name, f"call {name}", walls=("capabilities",), control_flags=ROOT_INSIDE)
        stage.without(attack, attack.walls, stage.contained)
