"""Which way to a cgroup sbx takes on each bed: the one that its row names, and no D-Bus but for a scope."""
import json
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from support import bed, cgroups, slow
from support.waiting import wait_until
from vm import beds

ROW = beds.read().get(bed.NAME)
pytestmark = pytest.mark.skipif(ROW is None, reason="not in a virtual machine of tests/vm")

TOP = Path("/sys/fs/cgroup")
PATIENCE = 20 * slow.FACTOR
SCOPE = "a scope of the user's systemd manager"


def only(condition, what):
    if not condition:
        pytest.skip(f"for another kind of bed: {what}")


def doctor(sbx, *prefix):
    done = subprocess.run([*prefix, sbx.binary, "doctor", "--cgroup", "--json"], capture_output=True, cwd=sbx.cwd)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["cgroup"]


def expected():
    """(version, group) of each home that doctor has to call taken."""
    groups = cgroups.own()
    ours = {(h.version, str(h.path)) for h in groups}
    return {"top": {(2, str(TOP / "sbx"))}, "own": {(2, str(groups[0].path.parent / "sbx"))}, "scope": {(2, SCOPE)},
            "hybrid": ours, "v1": ours, "-": set()}[ROW.home]


def only_where_a_run_gets_one():
    only(ROW.home != "-" and not {"linux-5.12", "userns", "memory"} & set(ROW.lacks), "one where limits hold")


def taken(found):
    """Without huge pages, whose hierarchy limits nothing else."""
    return {(home["version"], home["group"]) for home in found["taken"] if home["controllers"] != ["hugetlb"]}


@pytest.fixture
def bus():
    """A bus of the user's where nobody answers: who asks for a scope knocks here first."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{os.environ['XDG_RUNTIME_DIR']}/bus")
        server.listen(8)
        server.setblocking(False)
        yield server


def has_been_asked(server):
    try:
        server.accept()[0].close()
        return True
    except BlockingIOError:
        return False


def test_the_home_is_the_one_that_the_row_names(sbx):
    assert taken(doctor(sbx)) == expected()


def test_the_payload_is_there(sbx):
    """What doctor finds is where a run goes."""
    only_where_a_run_gets_one()
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; read line"], stdin=subprocess.PIPE)
    running.read_until(b"ready", 20 * slow.FACTOR)
    payload = max(pid for pid, _ in running.processes())
    group = next(h for h in cgroups.own(payload) if h.has("memory")).path
    run = running.wait(b"\n").assert_ok()
    if ROW.home == "scope":
        assert re.fullmatch(rf"{TOP}/user.slice/user-(\d+).slice/user@\1.service/app.slice/(sbx-[^/]+).scope/\2",
                            str(group)), group
    else:
        assert str(group.parent) in {place for _, place in expected()} and group.name.startswith("sbx-"), (group, run)


def test_nobody_is_asked_over_d_bus_who_need_not_be(sbx, bus, monkeypatch):
    """The control is the scope: there the bus is asked, hangs up, and the run is refused."""
    only_where_a_run_gets_one()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonsense")
    running = sbx.spawn(cmd=["true"])
    if ROW.home == "scope":
        bus.settimeout(5 * slow.FACTOR)
        bus.accept()[0].close()
        running.wait().assert_refused("the user's systemd manager")
        return
    running.wait().assert_ok()
    assert not has_been_asked(bus)


def test_who_is_alone_in_a_delegated_scope_asks_nobody(sbx, bus):
    """What `systemd-run --user --scope -p Delegate=yes sbx ...` is for: that scope itself is divided."""
    only_where_a_run_gets_one()
    only(ROW.home == "scope", "one with a systemd manager of the user's")
    # Ours says where sbx is to ask; systemd-run has to find the true one.
    true_bus = f"XDG_RUNTIME_DIR=/run/user/{os.getuid()}"
    ask = ["env", true_bus, "systemd-run", "--user", "--scope", "--quiet", "-p", "Delegate=yes",
           "env", f"XDG_RUNTIME_DIR={os.environ['XDG_RUNTIME_DIR']}"]
    (home,) = doctor(sbx, *ask)["taken"]
    assert re.fullmatch(rf"{TOP}/user.slice/.*/app.slice/run-[^/]+.scope", home["group"]), home
    done = subprocess.run([*ask, sbx.binary, "run", "--json", "--", "true"], capture_output=True, cwd=sbx.cwd)
    assert {"memory", "pids"} <= set(json.loads(done.stdout)["isolation"]["enforced"]), done
    assert not has_been_asked(bus)


def descendants(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return found + [grandchild for child in found for grandchild in descendants(child)]


def manager():
    service = TOP / f"user.slice/user-{os.getuid()}.slice/user@{os.getuid()}.service"
    pids = (service / "init.scope/cgroup.procs").read_text().split()
    return service, next(int(pid) for pid in pids if Path(f"/proc/{pid}/comm").read_text(errors="replace") == "systemd\n")


def test_no_scope_stays_whose_run_was_killed_before_it_was_in(sbx):
    """The manager is held until then; the killed process stays a zombie, which the kernel takes into no group
    and says nothing."""
    only_where_a_run_gets_one()
    only(ROW.home == "scope", "one with a systemd manager of the user's")
    service, systemd = manager()
    os.kill(systemd, signal.SIGSTOP)
    try:
        killed = subprocess.Popen([sbx.binary, "run", "--", "true"], cwd=sbx.cwd)
        busctl = wait_until(lambda: [pid for pid in descendants(killed.pid)
                                     if Path(f"/proc/{pid}/comm").read_text(errors="replace") == "busctl\n"],
                            "nobody is asked for a scope", PATIENCE)
        killed.kill()
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
    finally:
        os.kill(systemd, signal.SIGCONT)
    wait_until(lambda: not Path(f"/proc/{busctl[0]}").exists(), "who asked for the scope stays", PATIENCE)
    sbx.run(cmd=["true"]).assert_ok()
    killed.wait()
    wait_until(lambda: not list(service.glob("app.slice/sbx-*.scope")), "a scope stays", PATIENCE)


NESTED = """
umount /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
sleep 60 &
{sbx} run -- true; echo "first: $?"
{sbx} doctor --cgroup --json >doctor
eval "$(python3 -c '
import json
(home,) = json.load(open("doctor"))["cgroup"]["passed_over"]
print(home["fix"].split(": ", 1)[1])')"
{sbx} run --json -- true >result; echo "second: $?"
kill %1
"""


def test_a_container_whose_top_holds_processes_is_told_what_helps(sbx):
    """As engines start them: the first process, and all others, in the top. The advice is followed to the letter."""
    only(ROW.way == "container", "a container")
    group = TOP / "nested"
    group.mkdir()
    (TOP / "cgroup.subtree_control").write_text("+memory +pids")
    try:
        enter = f"echo $$ >{group}/cgroup.procs; exec unshare --cgroup --mount bash -c \"$0\""
        done = subprocess.run(["bash", "-c", enter, NESTED.format(sbx=sbx.binary)], cwd=sbx.cwd, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        assert "first: 125" in done.stdout and "cgroup" in done.stderr and "/host/cgroup.procs" in done.stderr, done
        assert "second: 0" in done.stdout, done
        result = json.loads((sbx.cwd / "result").read_text())
        assert {"memory", "pids"} <= set(result["isolation"]["enforced"]), done
    finally:
        cgroups.remove_tree(group)
