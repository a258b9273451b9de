"""Live runs as `sbx ps` and `kill` tell of them."""
import json
import signal


def start(sbx, script="echo ready; exec sleep 30", *flags, **options):
    running = sbx.spawn(flags=flags, cmd=["bash", "-c", script], **options)
    running.read_until(b"ready")
    return running


def ps(sbx):
    run = sbx.call("ps", "--json")
    assert run.code == 0, run
    return json.loads(run.stdout)


def only(sbx):
    runs = ps(sbx)
    assert len(runs) == 1, runs
    return runs[0]


def ended_by_kill(running):
    run = running.wait(timeout=10).assert_status("interrupted", 137)
    assert "killed by sbx kill" in run.result["reason"]["text"] and run.result["signal"] == signal.SIGKILL
    return run
