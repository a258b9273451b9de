"""The payload steers no run, not even its own, and makes `sbx ps` list none that is not."""
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from escape.attacks import Attack, test_contained, test_works_without_its_walls  # noqa: F401

REQUESTS = ("kill", "pause", "stats")
SHOWN = ("--ro", "{registry}:{registry}")
WRITABLE = ("--rw", "{registry}:{registry}")
PLANTED = "20260101-000000-0badf00d"

ATTACKS = [
    Attack("cannot_find_the_registry_of_live_runs", "finds {registry}", granted_by=SHOWN),
    Attack("cannot_see_the_sockets_of_live_runs_by_name", "file-holds /proc/net/unix {victim}",
           granted_by=("--net", "host")),
    *[Attack(f"cannot_{request}_a_run_that_it_does_not_see", f"steer-runs {{registry}} {request}", bare="any")
      for request in REQUESTS],
    # Its own run and the victim's. The folder of another user's runs, as root's are, it cannot even list.
    *[Attack(f"cannot_{request}_a_run_whose_socket_it_was_given", f"steer-runs {{registry}} {request} 1", flags=SHOWN,
             bare="any", needs=("user",)) for request in REQUESTS],
]


@pytest.fixture
def registry():
    return Path(os.environ["XDG_RUNTIME_DIR"], "sbx")


@pytest.fixture
def victim(sbx, registry):
    """A run that waits; afterwards it is as alive as before, unless the test has seen to it from outside."""
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; read line; echo end"], stdin=subprocess.PIPE)
    running.read_until(b"ready")
    return running


@pytest.fixture
def scene(registry, victim):
    return {"registry": registry, "victim": next(registry.iterdir()).name}


def listed(sbx):
    run = sbx.call("ps", "--json")
    assert run.code == 0, run
    return {entry["id"]: entry for entry in json.loads(run.out)}


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("flags", [(), SHOWN], ids=["unseen", "shown"])
def test_the_victim_goes_on_as_if_nothing_had_been(stage, sbx, victim, flags, request_):
    stage.contained(Attack("steer", f"steer-runs {{registry}} {request_}", flags=flags))
    (entry,) = listed(sbx).values()
    assert entry["state"] == "running"
    assert "end" in victim.wait(b"\n").assert_ok().out


@pytest.mark.needs("user")
def test_its_own_supervisor_refuses_it_as_well(stage, victim):
    """With both sockets in sight: a run's own, and another's."""
    run = stage.contained(Attack("steer", "steer-runs {registry} kill 2", flags=SHOWN))
    # One that hangs up on a request that it has not read may take its refusal with it.
    answers = run.out.count("outside of a sandbox") + run.out.count("no answer")
    assert "asked 2 supervisors" in run.out and answers == 2, run


def plant(sbx, probe, folder, *flags):
    """A payload that makes a run's socket in `folder` and answers there."""
    running = sbx.spawn(flags=[*probe.flags, *flags], cmd=[probe.path, "plant-run", folder])
    try:
        running.read_until(b"planted", 10)
    except AssertionError:  # it could not
        pass
    return running


@pytest.mark.parametrize("place", ["{registry}", "/tmp/.sbx-{uid}", "/run/sbx", "/run/user/{uid}/sbx", "/workspace/sbx"])
def test_a_run_that_it_plants_is_not_listed(sbx, probe, scene, place):
    """Wherever sbx would look for one: what the payload may write there is its own."""
    planter = plant(sbx, probe, place.format(registry=scene["registry"], uid=os.getuid()))
    assert PLANTED not in listed(sbx)
    sbx.call("kill", PLANTED).assert_refused("no live run")
    planter.signal(signal.SIGINT)
    planter.wait()


def test_control_in_a_registry_that_it_may_write_to_it_is_listed(sbx, probe, scene):
    planter = plant(sbx, probe, scene["registry"], *(flag.format(**scene) for flag in WRITABLE))
    assert PLANTED in listed(sbx)
    planter.signal(signal.SIGINT)
    planter.wait()
    for path in scene["registry"].glob(f"{PLANTED}*"):
        path.unlink()
