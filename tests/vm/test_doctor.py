"""What sbx doctor says of each bed: all that its row says it lacks, with the cause, and nothing else."""
import json
import os
import subprocess

import pytest

from support import bed
from vm import beds

ROW = beds.read().get(bed.NAME)
pytestmark = pytest.mark.skipif(ROW is None, reason="not in a virtual machine of tests/vm")

# What a row lacks -> (the feature that doctor calls refused, the cause it has to name).
CAUSES = {
    "userns": ("user namespace", "kernel.unprivileged_userns_clone is 0"),
    "landlock": ("landlock", "Landlock is built in but not switched on"),
    "linux-5.12": ("system calls", "lacks mount_setattr (ENOSYS)"),
}


@pytest.fixture
def told(sbx):
    done = subprocess.run([sbx.binary, "doctor", "--json"], cwd=sbx.cwd, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 125) and not done.stderr, done
    told = json.loads(done.stdout)
    assert (done.returncode == 0) == told["default"]["starts"]
    return told


def test_what_is_lacking_has_its_cause(told):
    features = {feature["name"]: feature for feature in told["features"]}
    for lacking, (name, cause) in CAUSES.items():
        if lacking in ROW.lacks:
            assert features[name]["verdict"] == "refused" and cause in features[name]["cause"], features[name]
            assert features[name]["fix"]
    if not set(ROW.lacks) & {"userns", "linux-5.12"}:
        refused = {name for name, feature in features.items() if feature["verdict"] == "refused"
                   and feature["needed"] in ("always", "root" if os.geteuid() == 0 else "always")}
        assert not refused, [features[name] for name in refused]
        assert features["overlay"]["verdict"] == "works" and features["pty"]["verdict"] == "works", features


def test_what_the_default_profile_does_here(told):
    """It starts where the row lacks nothing that it asks for; else the error is that of a run."""
    stops = set(ROW.lacks) & {"userns", "linux-5.12", "cgroup", "memory"}
    start = told["default"]
    assert start["starts"] == (not stops), start
    assert told["tier"] == start["tier"] == ({"hybrid": "hybrid", "v1": "hybrid"}.get(ROW.home, "full") if not stops else "none")
    if "cgroup" in ROW.lacks or "memory" in ROW.lacks:
        assert "limits.memory" in start["error"], start
