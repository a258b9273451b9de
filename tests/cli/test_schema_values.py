"""The schema accepts what sbx reads: an editor does not underline what runs."""
import json

import jsonschema
import pytest

ACCEPTED = {
    "words": {"network": "none", "root": "host", "user": {"uid": "caller"}, "limits": {"memory": "none", "cpuset": "none"}},
    "a variable in a mount": {"mounts": ["${env:HOME}/data:/data", "${env:HOME:-/x}:/h:rw"]},
    "a variable that is a truth value": {"vars": {"maybe": True}, "mounts": [{"bind": "a", "at": "/a", "optional": "${maybe}"}]},
    "a file with a number for its name": {"stdio": {"stdin": 5}},
    "null as YAML has it": {"stdio": {"stdin": None}},
    "variables of whole values": {"vars": {"net": "host", "perm": "0600", "root": "empty", "arg": 0}, "network": "${net}", "root": "${root}",
                                  "mounts": [{"file": "/a", "content": "x", "perm": "${perm}"}],
                                  "seccomp": {"args": [{"call": "socket", "arg": "${arg}", "in": ["AF_UNIX"]}]}},
}


@pytest.mark.parametrize("keys", ACCEPTED.values(), ids=list(ACCEPTED))
def test_what_sbx_reads_fits_the_schema(sbx, keys):
    profile = {"version": 1, **keys}
    path = sbx.folder / "profile.yaml"
    path.write_text(json.dumps(profile))  # JSON is YAML
    assert sbx.call("check", path).code == 0, sbx.call("check", path)
    jsonschema.validate(profile, json.loads(sbx.call("schema", "profile").out))
