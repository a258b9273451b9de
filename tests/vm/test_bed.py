"""The bed is the host that its row says: else its other tests prove something about another one."""
import os
import pwd
from pathlib import Path

import pytest

from support import bed, cgroups, features
from vm import beds

ROW = beds.read().get(bed.NAME)
CONTROLLERS = {"cpu", "cpuset", "io", "memory", "pids"}
pytestmark = pytest.mark.skipif(ROW is None, reason="not in a virtual machine of tests/vm")


def test_kernel_and_user():
    assert os.uname().release.startswith(f"{ROW.kernel.partition('-')[0]}.")
    assert os.uname().machine == {"": "x86_64", "arm64": "aarch64"}[ROW.machine]
    assert pwd.getpwuid(os.geteuid()).pw_name == ROW.user


def test_cgroup_versions():
    """Unified unless the kernel arguments say otherwise; and then, what they say."""
    versions = {h.version for h in cgroups.own()}
    arguments = " ".join(ROW.kernel_args)
    if "legacy_systemd_cgroup_controller=1" in arguments:
        assert versions == {1}
    elif "unified_cgroup_hierarchy=0" in arguments:
        assert versions == {1, 2} and cgroups.find("pids").version == 1
    else:
        assert versions == {2}


def test_the_place_of_our_process():
    groups = Path("/proc/self/cgroup").read_text()
    if ROW.scenario == "bare":
        assert groups == "0::/\n"
    elif ROW.way == "delegated":
        assert groups == "0::/system.slice/vm-delegated.service/tests\n"
    elif ROW.way == "container":
        assert groups == "0::/tests\n"
    elif ROW.way == "login":
        assert f"/user.slice/user-{os.getuid()}.slice/session-" in groups
    else:
        assert "/system.slice/vm-test.service" in groups


def test_what_was_delegated_to_us():
    """In a service of its own: its group is its user's, with each controller that its row does not say it lacks."""
    if ROW.way not in ("delegated", "container"):
        return
    ours = cgroups.own()[0].path.parent
    assert os.stat(ours).st_uid == os.geteuid() and os.access(ours / "cgroup.subtree_control", os.W_OK)
    assert (ours / "cgroup.procs").read_text() == ""
    assert set((ours / "cgroup.controllers").read_text().split()) >= CONTROLLERS - set(ROW.lacks)
    assert (ours / "cgroup.type").exists(), "that is the top of the host's tree"


def test_a_container_shows_only_itself():
    if ROW.way != "container":
        return
    assert [h.mount for h in cgroups.own()] == [Path("/sys/fs/cgroup")] and cgroups.own()[0].group == "tests"
    assert not Path("/sys/fs/cgroup/system.slice").exists()


def test_the_session_of_our_user():
    bus = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    assert bool(bus and os.environ.get("XDG_RUNTIME_DIR")) == (ROW.scenario == "systemd" and ROW.way == "login")
    manager = Path(f"/run/user/{os.getuid()}/systemd/private").exists()
    assert manager == (ROW.scenario == "systemd" and ROW.way == "login")


def test_what_it_lacks():
    for feature in ("userns", "landlock"):
        missing = features.why_not(feature) is not None
        # 5.10 has no Landlock either: it came with 5.13.
        assert missing == (feature in ROW.lacks or (feature == "landlock" and "linux-5.12" in ROW.lacks)), feature
    reserves = any(argument.startswith("hugepages=") for argument in ROW.kernel_args)
    assert (features.why_not("huge-pages") is None) == reserves
    listed = [h.controllers | set((h.mount / "cgroup.controllers").read_text().split() if h.version == 2 else ())
              for h in cgroups.own()]
    assert any("memory" in names for names in listed) == ("memory" not in ROW.lacks)
