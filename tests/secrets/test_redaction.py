"""redact: what the payload writes, says and names of a secret is masked, however it is cut, in all that sbx tells."""
import json
import os
import re
import signal

import pytest

from support.secret_values import files_with, masks_in

SECRET = ["--secret", "k=env:SBX_TEST_SECRET"]
OPEN = [*SECRET, "--set", "secrets.k.redact=false"]
MASK = b"[redacted:k]"
# Writes the value again and again, cut at random places, to both streams, flushing now and then.
SPLITTER = r"""
import os, random, sys, time
value = open("/run/secrets/k", "rb").read()
random.seed(int(sys.argv[1])); rounds = int(sys.argv[2])
for i in range(rounds):
    stream = random.choice((1, 2))
    text = b"%d <" % i + value + b">\n"
    while text:
        n = random.randint(1, len(text))
        os.write(stream, text[:n]); text = text[n:]
        if random.random() < 0.05: time.sleep(0)
"""


def test_both_streams_are_masked(sbx, value):
    run = sbx.run(flags=SECRET, cmd=["sh", "-c", "cat /run/secrets/k; echo; cat /run/secrets/k >&2"]).assert_ok()
    assert run.stdout == MASK + b"\n" and run.stderr == MASK, run
    assert run.result["redactions"] == [{"secret": "k", "count": 2}]


def test_without_redact_they_are_not(sbx, value):
    run = sbx.run(flags=OPEN, cmd=["cat", "/run/secrets/k"]).assert_ok()
    assert run.out == value.text and run.result["redactions"] == []


def test_a_payload_with_other_words_is_not_touched(sbx, value):
    data = os.urandom(300_000)
    run = sbx.run(flags=SECRET, cmd=["cat"], stdin=data).assert_ok()
    assert run.stdout == data and run.result["output"]["stdout"]["bytes"] == len(data)


def test_encoded_forms_are_masked(sbx, value):
    script = "base64 -w0 /run/secrets/k; echo; od -An -v -tx1 /run/secrets/k | tr -d ' \\n'; echo; " \
             "printf 'x%s' \"$(cat /run/secrets/k)\" | base64 -w0"
    run = sbx.run(flags=SECRET, cmd=["sh", "-c", script]).assert_ok()
    assert not value.seen_in(run.stdout) and masks_in(run.stdout) == 3, run


@pytest.mark.parametrize("seed", range(4))
def test_random_splits_leak_nothing(sbx, value, seed):
    """Four times 2,500: at most three go on before the rest waits, so no eight characters in a row, which would be no chance."""
    script = sbx.cwd / "split.py"
    script.write_text(SPLITTER)
    run = sbx.run(flags=[*SECRET, "--timeout", "none"], cmd=["python3", "/workspace/split.py", seed, 2500]).assert_ok()
    assert masks_in(run.stdout) + masks_in(run.stderr) == 2500, run
    for data in (run.stdout, run.stderr):
        assert not value.pieces_in(data) and not value.seen_in(data)
        assert not re.sub(rb"\d+ <(v\+\w?)?v?\[redacted:k\]>\n", b"", data), data[:200]


BYTES = "import os\nfor b in open('/run/secrets/k', 'rb').read(): os.write(1, bytes([b]))"


def test_a_value_that_comes_byte_by_byte_is_masked_whole_where_nobody_reads_yet(sbx, value):
    """The control: who reads what is written as it comes gets at most three bytes of it."""
    run = sbx.run(flags=SECRET, cmd=["python3", "-c", BYTES], json=True)
    assert run.result["output"]["stdout"]["text"] == MASK.decode(), run
    run = sbx.run(flags=SECRET, cmd=["python3", "-c", BYTES]).assert_ok()
    assert run.stdout.endswith(MASK) and len(run.stdout) <= 3 + len(MASK), run


def test_a_terminal_is_masked(sbx, value):
    run = sbx.run(flags=SECRET, cmd=["sh", "-c", "head -c 9 /run/secrets/k; sleep 0.1; tail -c +10 /run/secrets/k"],
                  tty=True, result=True)
    assert masks_in(run.stdout) == 1 and not value.pieces_in(run.stdout), run


def test_a_prompt_does_not_wait(sbx, value):
    run = sbx.spawn(flags=SECRET, cmd=["sh", "-c", "printf 'name: '; read x; echo $x"], tty=True)
    run.read_until(b"name: ", timeout=5)
    run.tty.write(b"me\n") if hasattr(run.tty, "write") else os.write(run.tty.fd, b"me\n")
    assert run.wait().code == 0


def test_the_hash_is_of_what_is_told(sbx, value):
    import hashlib
    run = sbx.run(flags=SECRET, cmd=["cat", "/run/secrets/k"], json=True)
    out = run.result["output"]["stdout"]
    assert out["text"] == MASK.decode() and out["bytes"] == len(value.text)
    assert out["sha256"] == hashlib.sha256(MASK).hexdigest()


def test_nothing_that_sbx_writes_has_it(sbx, value, tmp_path, open_folder):
    """Everything that can be asked for at once, and a payload that says the value wherever it can."""
    place = tmp_path / "told"
    place.mkdir()
    state = tmp_path / "state"
    state.mkdir()
    script = 'k=$(cat /run/secrets/k); echo $k; echo $k >&2; printf %s "$k" | base64; ' \
             'cp /bin/sleep "/tmp/k${k%%/*}" && "/tmp/k${k%%/*}" 0; keyctl show 2>/dev/null; echo x > kept; ' \
             'cat "/nothing/$k"; sleep 1; exit 3'
    for flags, seen in ((SECRET, False), (OPEN, True)):
        for name in os.listdir(place):
            os.unlink(place / name)
        flags = [*flags, "--workspace", f"{sbx.cwd}:overlay", "--keep", "diff", "--result", place / "result",
                 "--events", place / "events", "--log", place / "log", "--log-level", "debug", "--timing"]
        with open(place / "stdout", "wb") as out, open(place / "stderr", "wb") as err:
            import subprocess
            argv = sbx._argv("run", None, flags, ["sh", "-c", script, value.text], False)
            ended = subprocess.run(argv, stdout=out, stderr=err, cwd=sbx.cwd,
                                   env={**os.environ, "XDG_STATE_HOME": str(state)})
        assert ended.returncode == 3
        found = files_with(value, place) + files_with(value, state)
        assert bool(found) == seen, found
        if not seen:
            told = json.loads((place / "result").read_text())
            assert told["argv"][-1] == MASK.decode() and told["redactions"][0]["count"] >= 3


def test_live_runs_do_not_show_it(sbx, value):
    for flags, seen in ((SECRET, False), (OPEN, True)):
        run = sbx.spawn(flags=flags, cmd=["sh", "-c", "echo ready; sleep 20", value.text])
        run.read_until(b"ready")
        shown = sbx.call("ps", "--json").stdout + sbx.call("ps").stdout + sbx.call("stats", "--json").stdout
        assert bool(value.seen_in(shown)) == seen, shown
        run.signal(signal.SIGTERM)
        run.wait()


def test_a_learned_profile_does_not_show_it(sbx, value):
    script = 'cat "/etc/$(cat /run/secrets/k)"; cat "/usr/$(cat /run/secrets/k)"; true'
    run = sbx.call("learn", *sbx.degraded, *SECRET, "--", "sh", "-c", script, value.text)
    assert not value.seen_in(run.stdout + run.stderr), run


def test_known_shapes_are_masked(sbx):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    cmd = ["sh", "-c", f"echo {token[:20]}''{token[20:]}"]
    run = sbx.run(flags=["--set", "redact_patterns=[github]"], cmd=cmd).assert_ok()
    assert run.stdout == b"[redacted:github]\n" and run.result["redactions"] == [{"secret": "github", "count": 1}], run
    assert sbx.run(flags=["--set", "redact_patterns=[aws]"], cmd=cmd).assert_ok().out == token + "\n"


def test_unknown_shapes_are_errors(sbx):
    sbx.run(flags=["--set", "redact_patterns=[gihub]"], cmd=["true"]).assert_refused("gihub", "github")


def test_a_leak_can_end_the_run(sbx, value):
    flags = [*SECRET, "--set", "on_leak=fail"]
    run = sbx.run(flags=flags, cmd=["sh", "-c", "cat /run/secrets/k; echo; sleep 20; echo on"])
    assert run.code == 137 and run.result["reason"]["code"] == "secret_leaked" and run.seconds < 15, run
    assert run.stdout.rstrip(b"\n") == MASK and "k" in run.result["reason"]["text"]
    assert f"sbx: signal: {run.result['reason']['text']}\n" in run.err, run
    late = sbx.run(flags=flags, cmd=["cat", "/run/secrets/k"])
    assert late.code == 137 and late.result["reason"]["code"] == "secret_leaked", late
    sbx.run(flags=flags, cmd=["true"]).assert_ok()


@pytest.mark.parametrize("flags", [["--workspace", "/nowhere"], ["--mask", "x"], ["--set", "nothing=1"]],
                         ids=["plan", "profile", "flag"])
def test_words_of_a_run_that_is_refused_are_not_told_where_one_might_be_a_secret(sbx, value, flags, tmp_path):
    """Nothing has been read by then, so nobody can tell which. Without a secret all of them are told."""
    junit = tmp_path / "junit.xml"
    run = sbx.run(flags=[*SECRET, *flags, "--junit", junit], cmd=["echo", value.text])
    assert run.code == 125 and run.result["argv"] == [], run
    assert value.text not in junit.read_text()
    if flags[0] == "--workspace":
        assert sbx.run(flags=flags, cmd=["echo", value.text]).result["argv"] == ["echo", value.text]
