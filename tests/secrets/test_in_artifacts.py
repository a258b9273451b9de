"""What a run leaves in the store has no secret in it: not in texts, names, the command, nor in the page about the run."""
import json
import subprocess

import pytest

from support.secret_values import files_with

SECRET = ["--secret", "k=env:SBX_TEST_SECRET"]
OPEN = [*SECRET, "--set", "secrets.k.redact=false"]
MASK = b"[redacted:k]"
# The value at the edge of what is read at once, too, and in one of its forms.
WRITER = """
import base64, os
value = open("/run/secrets/k", "rb").read()
os.mkdir("out")
open("out/log.txt", "wb").write(b"key: " + value + b"\\n")
open("out/long.txt", "wb").write(b"x" * (256 * 1024 - 10) + value + b"y" * 1000 + base64.b64encode(value) + b"\\n")
"""


@pytest.fixture
def state(tmp_path, monkeypatch, open_folder):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def write(sbx, script, *flags, collect="/workspace/out/**"):
    return sbx.run(flags=["--workspace", ".:overlay", "--collect", collect, *flags], cmd=["/usr/bin/python3", "-I", "-S", "-c", script])


def artifacts(sbx, *words):
    return subprocess.run([sbx.binary, "artifacts", *words], capture_output=True, check=True).stdout


def test_texts_are_masked_on_their_way(sbx, value, state):
    run = write(sbx, WRITER, *SECRET).assert_ok()
    assert [one["path"] for one in run.result["artifacts"]] == ["/workspace/out/log.txt", "/workspace/out/long.txt"]
    assert run.result["redactions"] == [{"secret": "k", "count": 3}]
    assert artifacts(sbx, "get", run.result["id"], "/workspace/out/log.txt", "-o", "-") == b"key: " + MASK + b"\n"
    long = artifacts(sbx, "get", run.result["id"], "/workspace/out/long.txt", "-o", "-")
    assert long.rstrip(b"=\n") == b"x" * (256 * 1024 - 10) + MASK + b"y" * 1000 + MASK
    assert not files_with(value, state)
    artifacts(sbx, "verify")


def test_without_redact_they_are_not(sbx, value, state):
    write(sbx, WRITER, *OPEN).assert_ok()
    assert len(files_with(value, state)) == 2


def test_what_is_no_text_is_kept_as_it_is(sbx, value, state):
    """Masked, it would be another thing; the manual says so."""
    script = "import os; os.mkdir('out'); open('out/b', 'wb').write(b'\\0' + open('/run/secrets/k', 'rb').read())"
    run = write(sbx, script, *SECRET).assert_ok()
    assert artifacts(sbx, "get", run.result["id"], "/workspace/out/b", "-o", "-") == b"\0" + value.text.encode()


def test_a_name_with_a_secret_is_not_kept(sbx, value, state):
    script = "import os; os.mkdir('out'); open('out/' + open('/run/secrets/k').read().replace('/', '%2F'), 'w'); open('out/plain', 'w')"
    run = write(sbx, script, *SECRET).assert_ok()
    assert [one["path"] for one in run.result["artifacts"]] == ["/workspace/out/plain"]
    assert any("names contain a secret: 1" in warning for warning in run.result["warnings"]), run
    assert not files_with(value, state)


@pytest.mark.parametrize("flags", [SECRET, OPEN, [*OPEN, "--set", "secrets.k.at=/etc/key"]], ids=["masked", "open", "elsewhere"])
def test_the_file_of_a_secret_is_never_an_artifact(sbx, value, state, flags):
    every = ["--collect", "/etc/key", "--collect", "/.sbx/**", "--collect", "/tmp/**"]
    run = write(sbx, "open('/tmp/other', 'w').write('x')", *flags, *every, collect="/run/**").assert_ok()
    assert [one["path"] for one in run.result["artifacts"]] == ["/tmp/other"] and not files_with(value, state)


def test_command_and_page_are_masked(sbx, value, state, tmp_path):
    script = f"import os; os.mkdir('out'); open('out/a', 'w').write('x'); print('{value.text}')"
    run = write(sbx, script, *SECRET).assert_ok()
    listed = artifacts(sbx, "ls", "--json")
    assert not value.seen_in(listed) and b"[redacted:k]" in listed and json.loads(listed)
    artifacts(sbx, "show", run.result["id"], "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_bytes()
    assert b"[redacted:k]" in page and not value.seen_in(page)
    assert not files_with(value, state)
