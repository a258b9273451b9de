"""The manual has the words by which results, events and lists tell a script something."""
import json
import re

import pytest


@pytest.fixture(scope="module")
def manual(root_dir):
    """{section: its text} of sbx(1), font changes and escapes of roff taken out."""
    text = re.sub(r"\\f[BIR]", "", (root_dir / "man" / "sbx.1").read_text()).replace("\\-", "-").replace('\\(dq', '"')
    parts = re.split(r"^\.SH (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def missing(words, text):
    return [word for word in words if not re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text)]


def schema(sbx, kind):
    return json.loads(sbx.call("schema", kind).out)


def test_every_type_of_an_event(sbx, manual):
    types = [one["properties"]["type"] for one in schema(sbx, "event")["oneOf"]]
    words = [word for kind in types for word in kind.get("enum", [kind.get("const")])]
    assert len(words) > 8 and not missing(words, manual["EVENTS"])


def test_every_field_of_a_result(sbx, manual):
    fields = schema(sbx, "result")["properties"]
    assert not missing([*fields, *fields["isolation"]["properties"], *fields["status"]["enum"]], manual["RESULT"])


def test_every_code_of_a_reason(root_dir, manual):
    code = re.compile(r'(?:\{|Status::\w+, | : )"([a-z_]+)",')
    codes = {found for source in (root_dir / "src" / "supervise").glob("outcome*.cpp")
             for found in code.findall(source.read_text())}
    assert len(codes) > 18 and {"wall_limit", "outer_memory", "exited"} <= codes
    assert not missing(codes, manual["RESULT"])


def test_every_state_of_a_live_run(sbx, manual):
    states = schema(sbx, "live")["properties"]["state"]["enum"]
    assert len(states) > 2 and not missing(states, manual["VERBS"])


def test_every_verb_whose_output_can_be_json(sbx, manual):
    told = manual["FLAGS"].split("\n--json\n")[1].split("\n.TP")[0]
    verbs = re.search(r"^flag\t--json\t.*\t([a-z ]+)\t[^\t]*$", sbx.call("--list-options").out, re.M)[1].split()
    assert len(verbs) > 5 and not missing(verbs, told)
