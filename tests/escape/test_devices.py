"""The payload gets the harmless devices only, and cannot make others."""
import pytest

from escape.attacks import ROOT_INSIDE, Attack, test_contained, test_works_without_its_walls  # noqa: F401

ALLOWED = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "fd", "stdin", "stdout",
           "stderr", "mqueue", "console", "core"}

ATTACKS = [
    Attack("cannot_make_a_device", "make-device /tmp", bare="root"),
    # The working directory is the workspace, inside as well as in the control run.
    Attack("cannot_make_a_device_in_a_writable_workspace", "make-device .", flags=("--workspace", ".:rw"),
           bare="root"),
]


@pytest.fixture
def scene(sbx):
    sbx.cwd.chmod(0o777)
    return {}


def test_dev_has_the_harmless_devices_only(sbx):
    names = set(sbx.run(cmd=["ls", "/dev"]).assert_ok().out.split())
    assert names <= ALLOWED, names - ALLOWED


def test_the_devices_work(sbx):
    script = "echo x >/dev/null && head -c1 /dev/zero >/dev/null && head -c1 /dev/urandom >/dev/null && ! echo x >/dev/full"
    sbx.run(cmd=["sh", "-c", script]).assert_ok()


def test_a_root_inside_makes_no_device(stage):
    stage.contained(Attack("device as user 0 inside", "make-device /tmp", flags=ROOT_INSIDE))
