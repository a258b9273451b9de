"""Every control is enforced, or its lack is told and ends the run before it starts; nothing in between.

Which of the two has to happen depends on the host, so that none of these is ever skipped. What the
message has to offer is the one command or setting that helps on that kind of host.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import bed, features

# The result's name of each limit, its key, flags that ask for it, and its controller; @v2: v1 has no such thing.
LIMITS = [
    ("memory", "limits.memory", ("--memory", "64M"), "memory"),
    ("pids", "limits.pids", ("--pids", "32"), "pids"),
    ("cpus", "limits.cpus", ("--cpus", "0.5"), "cpu"),
    ("cpu-time", "limits.cpu", ("--cpu-time", "20s"), "cpu"),
    ("cpuset", "limits.cpuset", ("--cpuset", str(min(os.sched_getaffinity(0)))), "cpuset"),
    ("io", "limits.io", ("--io-write-bps", "50M", "--workspace", ".:rw"), "io"),
    ("memory-high", "limits.memory_high", ("--memory-high", "64M"), "memory@v2"),
    ("oom-kill", "limits.memory", ("--memory", "64M", "--oom-kill", "tree"), "memory"),
    ("cpu-weight", "limits.cpu_weight", ("--cpu-weight", "200"), "cpu"),
]
# What helps where a controller is missing: a kernel argument, or what systemd hands to user managers.
HELP = {
    "memory": ("cgroup_disable=memory", "cgroup_enable=memory"),
    "io": ("Delegate=",),
    "cpuset": ("Delegate=",),
}
NOBODY = 65534
NEW_ENOUGH = tuple(int(n) for n in os.uname().release.split(".")[:2]) >= (5, 12)


def lacking(controller):
    name, _, version = controller.partition("@")
    return features.why_not(f"cgroup:{name}") or (features.why_not(f"cgroup-{version}") if version else None)


def runs_here():
    return NEW_ENOUGH and features.why_not("userns") is None


def only(flags, key):
    """Flags that ask for this limit alone: some are on by default."""
    lifted = [f for name in ("memory", "swap", "pids") if key != f"limits.{name}" for f in (f"--{name}", "none")]
    return [*lifted, *flags]


def help_for(controller):
    """Some words that the advice has to have on this bed: one of them."""
    if "cgroup" not in bed.LACKS:
        on_v1 = "@" in controller and features.why_not("cgroup-v1") is None
        return ("unified_cgroup_hierarchy",) if on_v1 else HELP[controller.partition("@")[0]]
    if os.path.exists(f"/run/user/{os.getuid()}/systemd"):
        return "as root", "unified_cgroup_hierarchy"  # a user manager cannot hand v1 controllers to anybody
    return ("loginctl enable-linger",)  # nobody to ask: that starts a user manager


@pytest.mark.parametrize("name,key,flags,controller", LIMITS, ids=[row[0] for row in LIMITS])
def test_a_limit_is_enforced_or_refused(sbx, name, key, flags, controller):
    if not runs_here():
        return
    run = sbx.run(flags=only(flags, key), cmd=["true"], bare=True)
    if lacking(controller):
        run.assert_refused(key, "--degrade cgroup")
        if bed.NAME:
            assert any(words in run.err for words in help_for(controller)), f"none of {help_for(controller)}\n{run}"
    else:
        isolation = run.assert_ok().result["isolation"]
        assert name in isolation["enforced"] and isolation["degraded"] == [], run


@pytest.mark.parametrize("name,key,flags,controller", LIMITS, ids=[row[0] for row in LIMITS])
def test_a_limit_that_may_be_missing_is_reported(sbx, name, key, flags, controller):
    if not runs_here():
        return
    flags = [*only(flags, key), "--degrade", "cgroup"]
    run = sbx.run(flags=flags, cmd=["true"], bare=True).assert_ok()
    where = "degraded" if lacking(controller) else "enforced"
    assert name in run.result["isolation"][where] and name in run.result["isolation"]["required"], run
    assert bool(lacking(controller)) == (name in run.result["isolation"]["degraded"]), run
    # One line says what is missing, or what v1 does not hold wholly.
    rough = name in run.result["isolation"]["approximate"]
    assert rough or bool(lacking(controller)) == bool(run.err), run
    assert not rough or re.search(rf"approximately: (.*, )?{name}\b", run.err), run


def numbers(name):
    text = Path(f"/sys/devices/system/cpu/{name}").read_text().strip()
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for part in ends for number in range(part[0], part[-1] + 1)}


@pytest.mark.needs("cgroup:cpuset")
def test_a_processor_that_is_switched_off_is_refused(sbx):
    """v2 takes it, and then gives the group all that its parent has."""
    if not runs_here():
        return
    off = numbers("possible") - numbers("online")
    if not off:
        pytest.skip("this host does not have it: a processor that is switched off")
    run = sbx.run(flags=["--cpuset", str(min(off))], cmd=["true"]).assert_refused("cpuset.cpus")
    assert "where there are the processors" in run.err, run
    if features.why_not("cgroup-v2"):
        return  # v1 takes no list with one that is not there
    both = f"{min(numbers('online'))},{min(off)}"
    seen = sbx.run(flags=["--cpuset", both], cmd=["grep", "Cpus_allowed_list", "/proc/self/status"])
    assert seen.assert_ok().out.split()[1] == str(min(numbers("online"))), seen


def test_the_defaults_are_enforced_or_refused(sbx):
    """What a first-time user meets."""
    if not runs_here():
        return
    run = sbx.run(cmd=["true"], bare=True)
    if features.why_not("cgroup"):
        run.assert_refused("cgroup", "--degrade cgroup")
    else:
        assert {"memory", "pids"} <= set(run.assert_ok().result["isolation"]["enforced"]), run


@pytest.mark.needs("root")
@pytest.mark.needs("cgroup-v1")
def test_the_command_that_a_user_of_v1_is_told_works(sbx_binary):
    """An administrator's part is done by us: the user that it is for has no sudo here."""
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to others
        os.chmod(folder, 0o755)
        copy = shutil.copy(sbx_binary, folder)
        run = [*become, copy, "run", "--json", "--", "/bin/true"]
        refused = subprocess.run(run, cwd="/", env={"PATH": os.defpath}, capture_output=True, text=True)
        told = re.search(r"give yourself groups: (for g in (.*?); do .*?; done)", refused.stderr)
        assert refused.returncode == 125 and told, refused
        script = f'sudo() {{ "$@"; }}; id() {{ echo {NOBODY}; }}; {told[1]}; exec "$@"'
        given = subprocess.run(["sh", "-c", script, "sh", *run], cwd="/", env={"PATH": os.defpath},
                               capture_output=True, text=True)
    for group in told[2].split():
        os.rmdir(f"{group}/user-{NOBODY}")
    assert given.returncode == 0, given
    assert {"memory", "pids"} <= set(json.loads(given.stdout)["isolation"]["enforced"]), given


def test_user_namespaces_are_there_or_asked_for(sbx):
    run = sbx.run(flags=["--degrade", "cgroup"], cmd=["true"])
    if features.why_not("userns"):
        run.assert_refused("namespaces: user", "sysctl -w kernel.unprivileged_userns_clone=1")
    elif NEW_ENOUGH:
        assert "user" in run.assert_ok().result["isolation"]["namespaces"], run


def test_landlock_is_there_or_asked_for(sbx):
    if not runs_here():
        return
    run = sbx.run(flags=["--landlock", "require"], cmd=["true"])
    if features.why_not("landlock"):
        run.assert_refused("landlock")
    else:
        assert run.assert_ok().result["isolation"]["landlock_abi"] >= 1, run


def test_landlock_is_reported_as_it_is(sbx):
    if not runs_here():
        return
    abi = sbx.run(cmd=["true"]).assert_ok().result["isolation"]["landlock_abi"]
    assert bool(abi) == (features.why_not("landlock") is None)


def test_a_kernel_that_is_too_old_is_told(sbx):
    run = sbx.run(cmd=["true"])
    if NEW_ENOUGH:
        assert "5.12" not in run.err, run
    else:
        run.assert_refused("Linux 5.12")


@pytest.mark.needs("root")
@pytest.mark.needs("cgroup:memory")
def test_huge_pages_are_forbidden_where_nobody_lets_us_see_whether_there_are_some(sbx):
    """Something else than sysfs, as in some containers, is no word of the kernel's."""
    if not runs_here():
        return
    hidden = 'mount -t tmpfs none /sys/kernel/mm && exec "$@"'
    done = subprocess.run(["unshare", "--mount", "sh", "-c", hidden, "sh", sbx.binary, "run", "--memory", "64M",
                           "--json", "--", "true"], cwd=sbx.cwd, capture_output=True, text=True)
    assert "hugetlb" in json.loads(done.stdout)["isolation"]["enforced"], done
