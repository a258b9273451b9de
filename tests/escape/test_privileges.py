"""The payload holds no privilege and gains none."""
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from escape.attacks import ESCAPED, Attack, test_contained, test_works_without_its_walls  # noqa: F401

ATTACKS = [
    Attack("holds_no_capability_in_any_set", "capabilities", walls=("capabilities",)),
    Attack("has_an_empty_bounding_set", "capabilities", walls=("empty_bounding_set",)),
    # A filter and Landlock need no_new_privs themselves: they go with it, as one wall.
    Attack("has_no_new_privs", "no-new-privs", walls=("no_new_privs,install_seccomp,apply_landlock",)),
    Attack("has_locked_securebits", "securebits", walls=("capabilities",)),
    Attack("cannot_become_root", "become-root", why_no_control="no id but its own is mapped"),
    Attack("is_in_no_group_of_the_callers", "groups", why_no_control="asked below", needs=("root",)),
    Attack("cannot_dump_core", "core-dumps", walls=("set_rlimit",)),
    Attack("cannot_have_a_program_of_the_hosts_take_its_core", "core-dumps", walls=("install_seccomp",)),
    Attack("cannot_leave_a_setuid_file", "make-setuid .", flags=("--workspace", ".:rw"), walls=("install_seccomp",)),
]


@pytest.fixture
def scene(sbx):
    sbx.cwd.chmod(0o777)
    return {}


@pytest.fixture(autouse=True)
def caller_may_dump_core():
    """So that a limit found inside is the sandbox's."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, before)


def make_setuid_probe(folder, probe):
    """The probe, set-user-ID root."""
    path = Path(folder) / "setuid-probe"
    shutil.copy(probe.host_path, path)
    os.chown(path, 0, 0)
    path.chmod(0o4755)
    return path


@pytest.mark.needs("root")
@pytest.mark.parametrize("mode", ["ro", "rw"])
def test_a_setuid_root_program_gives_nothing(sbx, probe, mode):
    make_setuid_probe(sbx.cwd, probe)
    run = sbx.run(flags=[*probe.flags, "--workspace", f".:{mode}"], cmd=[probe.path, "run-setuid", "./setuid-probe"])
    assert run.code == 0 and run.out.startswith("contained: "), run


@pytest.mark.needs("root")
def test_control_a_setuid_root_program_works_outside(probe):
    nobody = 65534
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        run = subprocess.run([make_setuid_probe(folder, probe), "gained"], user=nobody, group=nobody, extra_groups=[],
                             capture_output=True, cwd="/")
    assert run.returncode == ESCAPED, run


def test_no_setuid_file_is_found_on_the_host_afterwards(sbx, probe):
    sbx.cwd.chmod(0o777)
    sbx.run(flags=[*probe.flags, "--workspace", ".:rw"], cmd=[probe.path, "make-setuid", "."])
    assert [p.name for p in sbx.cwd.rglob("*") if p.stat().st_mode & 0o6000] == []


@pytest.mark.needs("root")
def test_the_callers_groups_are_seen_without_a_sandbox(probe):
    run = subprocess.run([probe.host_path, "groups"], extra_groups=[4, 5], capture_output=True)
    assert run.returncode == ESCAPED, run


@pytest.mark.needs("root")
def test_the_callers_groups_do_not_enter(sbx, probe):
    before = os.getgroups()
    os.setgroups([4, 5])
    try:
        run = sbx.run(flags=probe.flags, cmd=[probe.path, "groups"])
    finally:
        os.setgroups(before)
    assert run.code == 0 and run.out.startswith("contained: "), run


GIVE = """
import os, shutil, struct
shutil.copy("/usr/bin/true", "gift")
os.chmod("gift", 0o755)
try: os.setxattr("gift", "security.capability", struct.pack("<5I", 0x02000001, 1 << 7, 0, 0, 0))  # cap_setuid=ep
except OSError as error: print(error.strerror)
else: print("given")
"""


def give_capabilities(sbx, *flags):
    return sbx.run(flags=["--cap", "setfcap", *flags], cmd=["/usr/bin/python3", "-c", GIVE])


@pytest.mark.needs("root")
@pytest.mark.parametrize("flags", [["--workspace", ".:rw"], ["--rw", ".:/workspace/there", "--workspace", ".:overlay"]],
                         ids=["workspace", "mount"])
def test_no_file_of_roots_is_given_capabilities_that_hold_on_the_host(sbx, flags):
    run = give_capabilities(sbx, "--set", "user.uid=0", *flags)
    run.assert_refused("setfcap", "capabilities that hold on the host", "user.uid=1000")


@pytest.mark.needs("root")
@pytest.mark.parametrize("uid, flags, said", [
    ("0", ["--workspace", ".:overlay"], "given"),  # in memory, and in a namespace of its own
    ("1000", ["--workspace", ".:rw"], "Invalid argument")], ids=["overlay", "another-id"])
def test_capabilities_of_files_stay_inside(sbx, uid, flags, said):
    assert give_capabilities(sbx, "--set", f"user.uid={uid}", *flags).assert_ok().out == f"{said}\n"
    gift = sbx.cwd / "gift"
    assert not gift.exists() or "security.capability" not in os.listxattr(gift)


@pytest.mark.needs("root")
def test_those_of_another_owners_files_hold_for_nobody_but_that_owner(sbx):
    """The kernel writes down whose root gave them."""
    owner = 12345
    os.chown(sbx.cwd, owner, owner)
    assert give_capabilities(sbx, "--set", "user.uid=0", "--workspace", ".:rw").assert_ok().out == "given\n"
    gift = sbx.cwd / "gift"
    assert os.getxattr(gift, "security.capability")[20:] == owner.to_bytes(4, "little")
