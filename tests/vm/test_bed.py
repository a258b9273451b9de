"""The bed is the host that its row says: else its other tests prove something about another one."""
import os
import pwd
from pathlib import Path

import pytest

from support import bed, cgroups, features
from vm import beds

ROW = beds.read().get(bed.NAME)
pytestmark = pytest.mark.skipif(ROW is None, reason="not in a virtual machine of tests/vm")


def test_kernel_and_user():
    assert os.uname().release.startswith(f"{ROW.kernel}.")
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
    elif ROW.way == "login":
        assert f"/user.slice/user-{os.getuid()}.slice/session-" in groups
    else:
        assert "/system.slice/vm-test.service" in groups


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
    assert (cgroups.find("memory") is None) == ("memory" in ROW.lacks)
