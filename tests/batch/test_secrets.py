"""Where secrets come from is in the batch's own environment until its end: nobody else of its user sees it there."""
import json
import os
import threading
from pathlib import Path

import pytest

from support.batch import by_id, text
from support.waiting import children_of

SECRET = "s3cr3t-of-the-batch"
HAS = {"secrets": {"key": {"from": "env:THE_KEY"}}}


def seen_in(pid):
    """What another process of that user finds of the value; "closed": it may not look."""
    try:
        environ = SECRET.encode() in Path(f"/proc/{pid}/environ").read_bytes()
        with open(f"/proc/{pid}/mem", "rb", buffering=0):
            return "value" if environ else "open"
    except PermissionError:
        return "closed"
    except OSError:
        return "gone"


def spawn_live(sbx, batch, jobs):
    batch.write(jobs)
    process = batch.spawn("-j2", env={**os.environ, "THE_KEY": SECRET})
    batch.live(2)
    return process


@pytest.mark.needs("user")
def test_a_batch_with_secrets_is_closed_and_one_without_is_not(sbx, batch):
    waits = {"argv": ["sleep", "50"]}
    for jobs, expected in ([waits, {**waits, "overrides": HAS}], "closed"), ([waits, waits], "value"):
        process = spawn_live(sbx, batch, jobs)
        # The processes of jobs too, also of those without a secret of their own.
        found = {seen_in(pid) for pid in [process.pid, *children_of(process.pid)]}
        process.terminate()
        process.communicate()
        assert found == {expected}


def test_jobs_without_secrets_run_as_ever_beside_those_that_have_some(sbx, batch):
    """Also the policies that are looked at when the coordinator is closed already, and ones that need /proc/self."""
    late = {"argv": ["true"], "overrides": {"degrade": ["userns"], "limits": {"wall": "33s"}}}
    moved = {"argv": ["cat", "/proc/uptime"], "overrides": {"namespaces": {"time": {"boottime": "1h"}}}}
    jobs = [{"id": "has", "argv": ["cat", "/run/secrets/key"], "overrides": HAS}, {"id": "late", **late},
            {"id": "moved", **moved}, *({"id": str(i), "argv": ["true"]} for i in range(20))]
    run = batch.call(jobs, "-j2", env={"THE_KEY": SECRET})
    assert run.code == 0, run
    found = by_id(run.results)
    assert text(found["has"]) == "[redacted:key]" and SECRET not in run.out
    assert "user" in found["late"]["result"]["isolation"]["namespaces"], "the trial of namespaces failed"
    plain = sbx.run(cmd=["true"], json=True).result["isolation"]
    assert all(found[str(i)]["result"]["isolation"] == plain for i in range(20))


@pytest.mark.needs("user")
def test_no_process_of_a_job_shows_it_while_it_is_open_for_its_id_maps(sbx, batch):
    """An ordinary user's have to be open for a moment; by then the variable is gone from their environment."""
    batch.write([{"id": str(i), "argv": ["true"], **({"overrides": HAS} if i % 5 == 0 else {})} for i in range(60)])
    process = batch.spawn("-j2", env={**os.environ, "THE_KEY": SECRET})
    reader = threading.Thread(target=process.communicate)
    reader.start()
    found = set()
    while process.poll() is None:
        found |= {seen_in(pid) for pid in children_of(process.pid)}
    reader.join()
    assert process.returncode == 0 and "closed" in found and "value" not in found, found


def test_a_job_that_lacks_one_secret_shows_no_other(batch):
    """Nobody can mask what stands in its words then."""
    both = {"secrets": {**HAS["secrets"], "other": {"from": "env:SBX_TEST_NOTHING"}}}
    run = batch.call([{"id": "a", "argv": ["echo", SECRET], "overrides": both}], "-j1", env={"THE_KEY": SECRET})
    assert run.code != 0 and SECRET not in run.out + run.err, run
    assert by_id(run.results)["a"]["result"]["argv"] == [] and "SBX_TEST_NOTHING" in json.dumps(run.results)
