"""What a job may say, and what it gets for it."""
import base64
import json

import jsonschema
import pytest
from support.batch import by_id, text


def test_each_job_has_its_result_with_its_line(batch):
    run = batch.call([{"argv": ["echo", "one"]}, "", {"id": "b", "argv": ["sh", "-c", "echo two >&2; exit 3"]},
                      {"id": "gone", "argv": ["no-such-command"]}])
    assert run.code == 1, run
    found = by_id(run.results)
    assert {name: line["line"] for name, line in found.items()} == {"1": 1, "b": 3, "gone": 4}
    assert text(found["1"]) == "one\n" and found["1"]["result"]["status"] == "ok"
    assert text(found["b"], "stderr") == "two\n" and found["b"]["result"]["exit_code"] == 3
    assert found["gone"]["result"]["status"] == "not_found"
    assert "3 jobs: 1 ok, 1 nonzero, 1 not_found\n" in run.err
    assert batch.call([{"argv": ["true"]}]).code == 0
    assert batch.call([]).code == 0


def test_lines_are_what_the_schemas_say(sbx, batch):
    jobs = [{"argv": ["cat"], "stdin": "x", "files": {"a": {"base64": "AA==", "perm": "0755"}}}, {"argv": ["false"]}]
    job, line, result = (json.loads(sbx.call("schema", name).out) for name in ("job", "batch", "result"))
    assert line["$defs"]["result"]["properties"] == result["properties"] and "urn:" not in json.dumps(line["$defs"])
    for one in jobs:
        jsonschema.Draft202012Validator(job).validate(one)
    for wrong in ({"argv": ["x"], "files": {"../x": "y"}}, {"argv": [""]},
                  {"argv": ["x"], "stdin": {"text": "", "perm": "0644"}},
                  {"argv": ["x"], "files": {"x": {"text": "", "perm": "1777"}}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(job).validate(wrong)
        assert batch.call([wrong], "--dry-run").code == 125
    for one in batch.call(jobs).results:
        jsonschema.Draft202012Validator(line).validate(one)
        del one["result"]["status"]
        with pytest.raises(jsonschema.ValidationError, match="'status' is a required property"):
            jsonschema.Draft202012Validator(line).validate(one)


def test_files_are_the_commands_to_change(batch):
    """The control is a file of the profile's in the same folder, which is not."""
    script = ("cat a/b/text; echo new > a/b/text && rm run && mv a moved && cat moved/b/text; "
              "echo evil > fixed; rm -f fixed; cat fixed; ls; grep -c ' /workspace/' /proc/mounts")
    files = {"a/b/text": "old\n", "run": {"text": "", "perm": "0755"}}
    fixed = {"mounts": [{"file": "/workspace/fixed", "content": "ours\n"}]}
    run = batch.call([{"argv": ["sh", "-c", script], "files": files, "overrides": fixed}])
    [one] = run.results
    assert text(one) == "old\nnew\nours\nfixed\nmoved\n1\n", one


def test_files_are_all_there_is_in_a_workspace_of_the_jobs_own(sbx, batch):
    (sbx.cwd / "caller.txt").write_text("the caller's")
    script = "pwd; find . -type f | sort; cat code.py bin/data | od -c | head -3; echo more > new; ./run; cat new"
    files = {"code.py": "1\n", "bin/data": {"base64": base64.b64encode(b"\0\xff").decode()},
             "run": {"text": "#!/bin/sh\necho ran\n", "perm": "0755"}}
    run = batch.call([{"id": i, "argv": ["sh", "-c", script], "files": files} for i in "ab"] +
                     [{"id": "c", "argv": ["ls"]}])
    found = by_id(run.results)
    for name in "ab":
        out = text(found[name])
        assert out.startswith("/workspace\n./bin/data\n./code.py\n./run\n"), out
        assert out.endswith("ran\nmore\n"), out
    assert text(found["c"]) == "caller.txt\n"
    assert [path.name for path in sbx.cwd.iterdir()] == ["caller.txt"]


def test_files_leave_the_lines_of_the_profile_what_they_are(sbx, batch):
    """They come as mounts, before and behind those that it has."""
    profile = sbx.cwd / "mounts.yaml"
    for line in (0, 9, 10):
        text = ["version: 1", "mounts:", *(f"  - {{bind: /usr/share, at: /{i}}}" for i in range(11))]
        text[2 + line] = "  - {bind: /nothing/there, at: /here}"
        profile.write_text("\n".join(text) + "\n")
        run = batch.call([{"argv": ["true"], "files": {"a": ""}}], "--profile", str(profile))
        assert run.code == 125 and f"{profile}:{3 + line}:5: cannot show /nothing/there" in run.err, run


@pytest.mark.parametrize("given", ["small\n", "x" * 300_000, ""], ids=["small", "large", "empty"])
def test_standard_input_is_the_jobs(sbx, batch, given):
    (sbx.cwd / "in.txt").write_text(given)
    run = batch.call([{"id": "text", "argv": ["cat"], "stdin": given},
                      {"id": "bytes", "argv": ["cat"], "stdin": {"base64": base64.b64encode(given.encode()).decode()}},
                      {"id": "file", "argv": ["cat"], "stdin": {"file": "in.txt"}},
                      {"id": "none", "argv": ["cat"]}], stdin=b"the batch's own")
    found = by_id(run.results)
    assert [text(found[name]) == given for name in ("text", "bytes", "file")] == [True] * 3
    assert text(found["none"]) == ""


def test_the_command_line_wins_over_a_job_and_a_job_over_its_profile(batch):
    jobs = [{"id": "said", "argv": ["true"], "overrides": {"limits": {"memory": "64M", "pids": 20}}},
            {"id": "not", "argv": ["true"], "profile": "judge"}]
    limits = {name: line["result"]["memory"]["limit_bytes"] for name, line in by_id(batch.call(jobs).results).items()}
    assert limits == {"said": 64 << 20, "not": 256 << 20}
    won = by_id(batch.call(jobs, "--memory", "80M").results)
    assert {line["result"]["memory"]["limit_bytes"] for line in won.values()} == {80 << 20}
    named = batch.call([{"argv": ["true"]}], "--profile", "strict").results
    assert named[0]["result"]["profile"]["name"] == "strict"


def test_jobs_come_through_a_pipe_as_well(sbx, batch):
    lines = "".join(json.dumps({"argv": ["echo", str(i)]}) + "\n" for i in range(20)).encode()
    run = sbx.call("batch", "-", *sbx.degraded, "-j3", stdin=lines)
    assert run.code == 0, run
    assert sorted(int(json.loads(line)["result"]["output"]["stdout"]["text"]) for line in run.out.splitlines()) == list(range(20))


def test_a_dry_run_checks_and_runs_nothing(sbx, batch):
    jobs = [{"id": str(i), "argv": ["touch", "x"], "profile": "build"} for i in range(3)]
    run = sbx.call("batch", batch.write(jobs), *sbx.degraded, "--dry-run")
    assert (run.code, run.out) == (0, "3 jobs, 1 policy, no problem\n")
    assert not list(sbx.cwd.iterdir())


MALFORMED = [
    ('{"argv": ["x"]', "this is no JSON: it ends too early"),
    ('{"argv": ["x"], "argv": ["y"]}', "the key argv stands twice"),
    ('{"argv": ["x"], "overides": {}}', "unknown key overides; did you mean overrides?"),
    ('{"argv": ["x\\u0000"]}', "`argv`: a null byte, which no argument can hold"),
    ('{"argv": ["x"]}\0{"argv": ["y"]}', "this is no JSON: byte 16, $'\\x00{"),
    ('\0\0\0', "this is no JSON: byte 1, $'\\x00\\x00\\x00'"),
    ('{"argv": ' + "[" * 5000, "more than 32 brackets are open at once"),
    ('{"id": "a"}', "it has no command: neither `argv`, nor one in its profile"),
    ('{"argv": ["x"], "profile": "pyton"}', "no profile is named pyton; did you mean python?"),
    ('{"argv": ["x"], "overrides": {"limits": {"memroy": "1G"}}}', "overrides: unknown key"),
    ('{"argv": ["x"], "overrides": {"limits": {"memory": 5}}}', "overrides: `limits.memory`"),
    ('{"argv": ["x"], "overrides": {"limits": {"memory": "100T"}}}', "limits.memory (100T) is more than there is ("),
    ('{"argv": ["x"], "overrides": {"limits": {"cpus": 4000}}}', "limits.cpus is more than the "),
    ('{"argv": ["x"], "files": {"/etc/passwd": "x"}}', "`files`: /etc/passwd must be relative: it is a place in"),
    ('{"argv": ["x"], "overrides": {"secrets": {"a": {"from": "fd:7"}}}}', "the secret a comes from a descriptor"),
    ('{"argv": ["x"], "stdin": 5}', "`stdin` must be text or an object, not a number"),
    ('\u001b[31m', "this is no JSON: byte 1, $'\\x1b[31m'"),
]


def test_keys_of_a_profile_in_a_job_are_sent_to_their_place(sbx, batch):
    run = sbx.call("batch", batch.write([{"argv": ["true"], "env": {"A": "b"}}]), *sbx.degraded)
    run.assert_refused("unknown key env", "keys: id, argv", "those of a profile stand below `overrides`")


@pytest.mark.parametrize("line, message", MALFORMED, ids=[str(i) for i in range(len(MALFORMED))])
def test_a_wrong_line_is_told_with_its_place_before_anything_starts(sbx, batch, line, message):
    run = sbx.call("batch", batch.write([{"argv": ["true"]}, line]), *sbx.degraded, "-o", batch.out)
    assert run.code == 125, run
    first = run.err.splitlines()[0]
    assert first.startswith(f"sbx: {batch.jobs}:2: {message}"), run
    assert "\x1b" not in run.err and "\0" not in run.err
    assert not batch.out.exists()


def test_what_is_more_than_all_jobs_may_have_names_the_flag(batch):
    run = batch.call([{"argv": ["true"], "overrides": {"limits": {"memory": "64M"}}}], "--total-memory", "1000K")
    run.assert_refused("limits.memory (64M) is more than --total-memory (1000K)", "more for all jobs together")


def test_each_jobs_own_inputs_are_looked_at_before_anything_starts(sbx, batch):
    """Also those of a policy that an earlier job had: with `files` it needs no workspace."""
    (sbx.cwd / "there").write_text("x")
    (sbx.cwd / "link").symlink_to("there")
    (sbx.cwd / "folder").mkdir()
    jobs = [{"argv": ["cat"], "files": {"a": ""}, "stdin": {"file": "there"}},
            *({"argv": ["cat"], "files": {"a": ""}, "stdin": {"file": name}} for name in ("missing", "link", "folder")),
            {"argv": ["cat"]}]
    run = sbx.call("batch", batch.write(jobs), *sbx.degraded, "--workspace", "gone", "-o", batch.out)
    assert run.code == 125 and not batch.out.exists(), run
    lines = [line for line in run.err.splitlines() if str(batch.jobs) in line]
    assert len(lines) == 4 and f"{batch.jobs}:2: cannot use {sbx.cwd}/missing as stdin: No such file or directory" in lines[0], run
    assert f"{batch.jobs}:3: cannot use {sbx.cwd}/link as stdin" in lines[1] and "symbolic link" in run.err, run
    assert f"{batch.jobs}:4: cannot use {sbx.cwd}/folder as stdin: it is not a regular file" in lines[2], run
    assert f"{batch.jobs}:5: " in lines[3] and "cannot show gone in the sandbox" in lines[3], run
    dry = sbx.call("batch", batch.jobs, *sbx.degraded, "--workspace", "gone", "--dry-run")
    assert (dry.code, dry.err) == (125, run.err)
    # What has run has its result, and nobody asks for its input again.
    assert batch.call(jobs[:1], "--workspace", "gone", "-o", batch.out).code == 0
    (sbx.cwd / "there").unlink()
    again = batch.call(jobs[:1], "--workspace", "gone", "-o", batch.out, "--resume")
    assert again.code == 0 and "(1 of them before)" in again.err, again


def test_where_jobs_write_one_may_make_what_the_next_reads(sbx, batch):
    sbx.cwd.chmod(0o777)
    jobs = [{"id": "first", "argv": ["sh", "-c", "echo made >made"]},
            {"id": "next", "argv": ["cat"], "stdin": {"file": "made"}}]
    run = batch.call(jobs, "-j1", "--workspace", ".:rw")
    assert run.code == 0 and text(by_id(run.results)["next"]) == "made\n", run


def test_two_jobs_with_one_id_and_many_mistakes(sbx, batch):
    run = sbx.call("batch", batch.write([{"id": "a", "argv": ["x"]}, {"id": "2", "argv": ["x"]}, {"id": "a", "argv": ["y"]}]),
                   *sbx.degraded)
    assert run.code == 125 and f"{batch.jobs}:3: this job has the id of the one on line 1" in run.err, run
    # The number of a line is an id like any other.
    run = sbx.call("batch", batch.write([{"id": "2", "argv": ["x"]}, {"argv": ["x"]}]), *sbx.degraded)
    assert run.code == 125 and f"{batch.jobs}:2: this job has the id of the one on line 1" in run.err, run
    # And so is one on a line with another mistake.
    for wrong in ({"id": "a", "argv": [1]}, {"id": "a", "argv": ["x"], "profile": "nowhere"}, {"id": "a", "argv": ["x"], "overrides": {"cpus": 1e6}}):
        run = sbx.call("batch", batch.write([wrong, {"id": "a", "argv": ["y"]}]), *sbx.degraded)
        assert run.code == 125 and f"{batch.jobs}:2: this job has the id of the one on line 1" in run.err, run
    # What has no id that could be read has none.
    run = sbx.call("batch", batch.write([{"id": 1, "argv": ["x"]}, {"id": "1", "argv": ["y"]}]), *sbx.degraded)
    assert run.code == 125 and "this job has the id" not in run.err, run
    run = sbx.call("batch", batch.write(["x"] * 100), *sbx.degraded)
    assert run.err.count("this is no JSON") == 20 and "there are more problems" in run.err


def test_a_line_has_a_longest_length(sbx, batch):
    long = {"argv": ["true"], "stdin": "x" * (16 << 20)}
    run = sbx.call("batch", batch.write([long]), *sbx.degraded)
    assert run.code == 125 and "this line is longer than 16 MiB" in run.err, run
    long["stdin"] = "x" * ((16 << 20) - 100)
    long["argv"] = ["wc", "-c"]
    run = batch.call([long])
    assert text(run.results[0]).strip() == str((16 << 20) - 100)


def test_what_the_terminal_gets_is_made_safe(batch):
    run = batch.call([{"id": "\x1b[2J", "argv": ["sleep", "0.1"]}])
    assert run.results[0]["job"] == "\x1b[2J"
    assert "\x1b" not in run.err and "\\x1b[2J" in run.err, run


def test_what_jobs_go_without_is_said_once(sbx, batch):
    """Where nothing is given up, nothing is said; a control that is missing is in each result, and in one line."""
    run = batch.call([{"argv": ["true"]} for _ in range(5)])
    lines = {tuple(line["result"]["isolation"]["degraded"]) for line in run.results}
    assert len(lines) == 1 and run.err.count("sbx: degraded: ") == (1 if lines.pop() else 0), run
