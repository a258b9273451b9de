"""The manual, the completions and the README say what the program does: none of them can drift."""
import importlib.util
import json
import os
import re
import subprocess

import pytest

MAN_WORDS = {"sbx.1": "sbx", "sbx-profile.5": "sbx-profile"}


@pytest.fixture(scope="module")
def listed(sbx_binary):
    """(verbs, flags) as `sbx --list-options` has them."""
    text = subprocess.run([sbx_binary, "--list-options"], check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    verbs = {row[1]: row[2:] for row in rows if row[0] == "verb"}
    flags = {row[1]: dict(zip(["argument", "key", "words", "repeats", "verbs", "help"], row[2:]))
             for row in rows if row[0] == "flag"}
    assert len(verbs) >= 6 and len(flags) >= 45
    return verbs, flags


def manual(root_dir, name):
    """The page as text: font changes and escapes of roff taken out."""
    text = (root_dir / "man" / name).read_text()
    text = re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace('\\(dq', '"').replace("\\(aq", "'")
    return text


def tagged(text):
    """The tags of all tagged paragraphs (.TP), with the text up to the next one."""
    found = {}
    for part in re.split(r"^\.TP\n", text, flags=re.M)[1:]:
        tag, _, body = part.partition("\n")
        found[re.sub(r"^\.[BI]+ ", "", tag)] = body
    return found


def test_every_flag_is_in_the_manual_with_its_argument(root_dir, listed):
    tags = tagged(manual(root_dir, "sbx.1"))
    described = {}
    for tag in tags:
        match = re.match(r"(?:-[hjo], )?(--[a-z-]+)(?: (\S+))?(?: \(repeats\))?$", tag)
        if match:
            described[match[1]] = (match[2] or "", "(repeats)" in tag)
    expected = {name: (flag["argument"], flag["repeats"] == "repeats") for name, flag in listed[1].items()}
    assert described == expected


def test_every_word_of_a_flag_is_in_the_manual(root_dir, listed):
    tags = tagged(manual(root_dir, "sbx.1"))
    bodies = {re.match(r"(?:-[hjo], )?(\S+)", tag)[1]: tag + body for tag, body in tags.items()}
    for name, flag in listed[1].items():
        if flag["argument"] in ("NAME", "CONTROL", "LIST") or flag["words"] == "none":
            continue  # names of things; `none` is explained once for all
        for word in filter(str.islower, flag["words"].split("|")):
            assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", bodies[name]), f"{name}: {word}"


def test_every_verb_is_in_manual_and_readme(root_dir, listed):
    tags = tagged(manual(root_dir, "sbx.1"))
    readme = (root_dir / "README.md").read_text()
    for verb in listed[0]:
        assert f"sbx {verb}" in tags
        assert verb == "completion" or f"sbx {verb}" in readme


def test_help_names_every_flag_once_and_fits_80_columns(sbx_binary, listed):
    for verb in listed[0]:
        text = subprocess.run([sbx_binary, verb, "--help"], check=True, capture_output=True, text=True).stdout
        assert max(map(len, text.splitlines())) <= 80
        shown = re.findall(r"^  (--[a-z-]+)", text, flags=re.M)
        assert sorted(shown) == sorted(n for n, f in listed[1].items() if verb in f["verbs"].split())


def schema_keys(schema, path=()):
    """Every key of the profile grammar, as (path, key)."""
    for form in [schema, *schema.get("oneOf", []), *schema.get("anyOf", [])]:
        for key, inner in form.get("properties", {}).items():
            yield (*path, key)
            yield from schema_keys(inner, (*path, key))
        for part in ("items", "additionalProperties"):
            if isinstance(form.get(part), dict):
                yield from schema_keys(form[part], path)
        if form is not schema:
            for part in ("oneOf", "anyOf"):
                for inner in form.get(part, []):
                    yield from schema_keys(inner, path)


@pytest.fixture(scope="module")
def keys(sbx_binary):
    text = subprocess.run([sbx_binary, "schema", "profile"], check=True, capture_output=True, text=True).stdout
    found = set(schema_keys(json.loads(text)))
    assert ("limits", "output", "stdout") in found and ("mounts", "tmpfs") in found
    return found


def test_every_profile_key_is_in_the_manual(root_dir, keys):
    page = manual(root_dir, "sbx-profile.5")
    sections = {}
    for part in re.split(r"^\.TP\n(?=[a-z]+ \()", page, flags=re.M)[1:]:
        sections.setdefault(re.match(r"[a-z_]+", part)[0], part)
    parts = re.split(r"^\.TP\n", page, flags=re.M)
    for key in sorted(keys):
        # A top-level key has a paragraph of its own; a key inside one stands behind it.
        start = next((i for i, part in enumerate(parts) if part.startswith(f"{key[0]} (")), None)
        assert start is not None, f"sbx-profile(5) has no paragraph for {key[0]}"
        rest = "".join(parts[start:])
        for name in key[1:]:
            assert re.search(rf"\b{name}\b", rest), f"sbx-profile(5) says nothing of {'.'.join(key)}"


def test_every_flag_for_a_key_names_one_that_exists(listed, keys):
    known = {".".join(key) for key in keys}
    for name, flag in listed[1].items():
        assert not flag["key"] or flag["key"] in known, f"{name} writes {flag['key']}"


def test_every_top_level_key_has_a_flag_or_set(listed, keys):
    """The keys that only --set reaches are known by name, so that a new key is thought about."""
    only_set = {"version", "name", "description", "extends", "vars", "command", "on_leak", "redact_patterns"}
    with_flag = {flag["key"].split(".")[0] for flag in listed[1].values()}
    assert {key[0] for key in keys} - with_flag == only_set


def test_every_limit_has_a_flag(listed, keys):
    leaves = {".".join(k) for k in keys if k[0] == "limits" and len(k) > 1}
    leaves -= {"limits.io", "limits.output"}  # sections
    flags = {flag["key"] for flag in listed[1].values()}
    assert {leaf for leaf in leaves if not leaf.startswith("limits.rlimits.")} <= flags


def test_built_in_profiles_are_in_both_manuals_and_the_readme(sbx_binary, root_dir):
    text = subprocess.run([sbx_binary, "profiles", "ls"], check=True, capture_output=True, text=True,
                          env={"XDG_CONFIG_HOME": "/nonexistent"}).stdout
    names = [line.split()[0] for line in text.splitlines() if "built in" in line]
    assert {"default", "strict", "python", "node", "shell", "build", "judge"} <= set(names)
    pages = [manual(root_dir, page) for page in MAN_WORDS] + [(root_dir / "README.md").read_text()]
    for name in names:
        for page in pages:
            assert re.search(rf"\b{name}\b", page), name


@pytest.fixture(scope="module")
def generator(root_dir):
    spec = importlib.util.spec_from_file_location("generate", root_dir / "completions" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_completions_are_those_of_this_program(sbx_binary, root_dir, generator):
    for shell, text in generator.generate(sbx_binary).items():
        kept = (root_dir / "completions" / generator.SHELLS[shell]).read_text()
        assert kept == text, f"run: completions/generate.py {sbx_binary}"
        printed = subprocess.run([sbx_binary, "completion", shell], check=True, capture_output=True, text=True)
        assert printed.stdout == kept, f"sbx completion {shell}: build again"


BASH_CASES = [
    (["r"], ["resume", "run"]),
    (["run", "--net", ""], ["host", "none"]),
    (["run", "--net", "=", "h"], ["host"]),
    (["run", "--no-"], ["--no-tty"]),
    (["run", "jud"], ["judge"]),
    (["run", "--hostname", "jud"], []),
    (["run", "--timin"], ["--timing"]),
    (["explain", "--timin"], []),
    (["profiles", "show", "jud"], ["judge"]),
    (["completion", "z"], ["zsh"]),
    (["help", "r"], ["resume", "run"]),
    (["run", "--", "ls", "/etc/os-re"], ["/etc/os-release"]),
    (["kill", "--signal", "US"], ["USR1", "USR2"]),
    (["ps", "--js"], ["--json"]),
    (["ps", ""], []),
]


@pytest.mark.parametrize("words, expected", BASH_CASES, ids=lambda value: "_".join(value) or "nothing")
def test_bash_completes(sbx_binary, root_dir, tmp_path, words, expected):
    assert bash_completions(sbx_binary, root_dir, tmp_path, words) == expected


def test_bash_completes_live_runs(sbx, sbx_binary, root_dir, tmp_path):
    runs = [sbx.spawn(cmd=["sh", "-c", "echo ready; exec sleep 30"]) for _ in range(2)]
    for running in runs:
        running.read_until(b"ready")
    ids = sorted(run["id"] for run in json.loads(sbx.call("ps", "--json").stdout))
    for verb in ("kill", "pause", "resume", "stats"):
        assert bash_completions(sbx_binary, root_dir, tmp_path, [verb, "2"]) == ids
    assert bash_completions(sbx_binary, root_dir, tmp_path, ["kill", ids[0], ids[1]]) == [ids[1]]
    assert sbx.call("kill", "--all").code == 0
    for running in runs:
        running.wait()
    assert bash_completions(sbx_binary, root_dir, tmp_path, ["kill", ""]) == []


def bash_completions(sbx_binary, root_dir, tmp_path, words):
    script = f"""
        source {root_dir}/completions/sbx.bash
        COMP_WORDS=(sbx "$@"); COMP_CWORD=$#
        _sbx
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir(exist_ok=True)
    (bin_dir / "sbx").unlink(missing_ok=True)
    (bin_dir / "sbx").symlink_to(sbx_binary)
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, cwd=tmp_path,
                          env={"PATH": f"{bin_dir}:/usr/bin:/bin", "XDG_CONFIG_HOME": "/nonexistent",
                               "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "")}, check=True)
    assert done.stderr == ""
    return sorted(filter(None, done.stdout.splitlines()))


@pytest.mark.needs("program:groff")
@pytest.mark.parametrize("page", MAN_WORDS)
def test_manual_pages_are_clean(root_dir, page):
    done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", "-Kutf8", root_dir / "man" / page], capture_output=True,
                          text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_version_is_the_same_everywhere(sbx_binary, root_dir):
    printed = subprocess.run([sbx_binary, "--version"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"version: '([^']+)'", (root_dir / "meson.build").read_text())[1]
    assert printed == f"sbx {version}\n"
    for page in MAN_WORDS:
        assert f'"sbx {version}"' in (root_dir / "man" / page).read_text()
    assert f"## {version}" in (root_dir / "CHANGELOG.md").read_text()


def documents(root_dir):
    return [*root_dir.glob("*.md"), *root_dir.glob("docs/**/*.md")]


def test_links_in_the_documents_lead_somewhere(root_dir):
    found = [(path, link) for path in documents(root_dir)
             for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())]
    assert len(found) > 20
    missing = [f"{path.name}: {link}" for path, link in found if not (path.parent / link).exists()]
    assert not missing


def test_the_threat_model_names_every_attack(root_dir):
    text = (root_dir / "docs" / "threat-model.md").read_text()
    attacks = [path.name for path in (root_dir / "tests" / "escape").glob("test_*.py")]
    assert len(attacks) > 10 and not [name for name in attacks if f"tests/escape/{name})" not in text]


def test_troubleshooting_knows_every_cause(root_dir):
    """Both ways: a heading for each `because` of the messages, and no heading that nothing says any more."""
    page = (root_dir / "docs" / "troubleshooting.md").read_text()
    headings = [heading.split("…") for heading in re.findall("### because (.*)", page)]
    said = set(re.findall("because (.*)", "".join(path.read_text() for path in (root_dir / "tests" / "messages").glob("*.txt"))))
    assert len(said) > 20

    def fits(parts, text):
        return re.match(".*".join(map(re.escape, [part.strip() for part in parts])).replace(r"\ ", " "), text)

    assert not [text for text in said if not any(fits(parts, text) for parts in headings)]
    assert not [parts for parts in headings if not any(fits(parts, text) for text in said)]


def test_troubleshooting_has_the_exit_code_of_every_status(sbx, root_dir):
    page = (root_dir / "docs" / "troubleshooting.md").read_text()
    rows = {status: code for names, code in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*?) \|", page, re.M)
            for status in re.findall(r"\w+", names)}
    schema = json.loads(sbx.call("schema", "result").out)
    assert sorted(rows) == sorted(schema["properties"]["status"]["enum"])
    for status, flags, command in (("timeout", ["--timeout", "200ms"], ["sleep", "9"]),
                                   ("cpu_limit", ["--cpu-time", "200ms"], ["sh", "-c", "while :; do :; done"]),
                                   ("idle_timeout", ["--idle", "200ms"], ["sleep", "9"]),
                                   ("output_limit", ["--stdout-limit", "1K", "--on-exceed", "kill"], ["yes"]),
                                   ("disk_limit", ["--rlimit", "fsize=64K"], ["sh", "-c", "exec yes >/tmp/x"]),
                                   ("seccomp", ["--on-deny", "kill"], ["unshare", "-U", "true"]),
                                   ("not_found", [], ["no-such-command"]),
                                   ("not_executable", [], ["/etc/passwd"])):
        run = sbx.run(flags=flags, cmd=command)
        assert (run.result["status"], str(run.code)) == (status, rows[status])


def test_profiles_in_the_documents_are_right(sbx_binary, root_dir, tmp_path):
    """Each YAML block of the README is a profile that `check` accepts."""
    blocks = re.findall(r"```yaml\n(.*?)```", (root_dir / "README.md").read_text(), flags=re.S)
    assert blocks
    for number, block in enumerate(blocks):
        path = tmp_path / f"block{number}.yaml"
        path.write_text(block)
        done = subprocess.run([sbx_binary, "check", path], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "")


def test_example_profiles_are_right(sbx_binary, root_dir):
    for path in (root_dir / "examples").glob("*.yaml"):
        done = subprocess.run([sbx_binary, "check", path], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "")
