"""With --json, a program that waits for a plan or a result gets an object when there is none, too."""
import json

import pytest

PAYLOAD = ["sh", "-c", "echo the-payload-ran"]


def told(run, *words):
    """The object of a run that was refused."""
    run.assert_refused(*words)
    found = json.loads(run.stdout)
    assert (found["schema"], found["status"], found["exit_code"]) == ("sbx.result/1", "setup_error", None)
    assert all(word in found["reason"]["text"] for word in words), found
    return found


@pytest.mark.parametrize("verb", [["run"], ["run", "--dry-run"], ["explain"], ["explain", "--why", "path:/etc"]], ids=" ".join)
@pytest.mark.parametrize("flags, word", [(["./bad.yaml"], "hostnme"), (["--memory", "3x"], "3x"), (["--nosuch"], "--nosuch")],
                         ids=["profile", "value", "flag"])
def test_a_refusal_is_an_object(sbx, verb, flags, word):
    (sbx.cwd / "bad.yaml").write_text("version: 1\nhostnme: x\n")
    words = [*verb, *flags, *sbx.degraded]
    told(sbx.call(*words, "--json", "--", *PAYLOAD), word)
    plain = sbx.call(*words, "--", *PAYLOAD)
    assert (plain.code, plain.stdout) == (125, b"") and word in plain.err


def test_a_wrong_question_is_one_too(sbx):
    told(sbx.call("explain", *sbx.degraded, "--json", "--why", "path:/etc", "--why", "nosuch:x"), "nosuch")
