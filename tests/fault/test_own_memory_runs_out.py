"""The supervisor has no memory left: whoever waits for a result gets one, and nothing is left."""
import json
import os
import resource
import subprocess

import pytest

SECRET = "nobody-is-to-read-this"


def run(sbx, script, *flags, room=30):
    """`room`: MiB of address space, of which the binary alone has 14."""
    argv = [sbx.binary, "run", *sbx.degraded, "--workspace", "none", "--json", "--events", "events", "--result", "result",
            *flags, "--", "sh", "-c", script]
    return subprocess.run(argv, cwd=sbx.cwd, capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "SECRET": SECRET},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (room << 20, room << 20)))


def test_the_result_says_so_everywhere(sbx):
    done = run(sbx, f"echo '{SECRET}'; head -c 9M /dev/zero; exit 3", "--secret", "k=env:SECRET")
    assert done.returncode == 125 and done.stderr == "sbx: memory ran out\n", done
    result = json.loads(done.stdout)
    assert result["status"] == "internal_error" and result["reason"]["text"] == "memory ran out"
    assert result["phase"] == "run" and result["wall_ms"] > 0 and not result["started_at"].startswith("1970")
    assert result["output"]["stdout"].get("text") is None
    assert json.loads((sbx.cwd / "result").read_text()) == result
    last = json.loads((sbx.cwd / "events").read_text().splitlines()[-1])
    assert last["type"] == "result" and last["result"] == result
    told = done.stdout + "".join((sbx.cwd / name).read_text() for name in ("result", "events"))
    assert SECRET not in told


@pytest.mark.parametrize("room", [16, 18, 20, 22, 24, 26])
def test_wherever_it_runs_out_nothing_is_left(sbx, room):
    done = run(sbx, "head -c 9M /dev/zero", room=room)
    assert done.returncode == 125 and done.stderr.startswith("sbx: "), done
