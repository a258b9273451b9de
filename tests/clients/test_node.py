"""The Node client: the table of behaviours, its own tests, its package, its types, and what it costs."""
import json
import re

import pytest

from clients import node_package as package
from support import features, leftovers

CASES = json.loads((package.CLIENTS / "behaviours.json").read_text())["behaviours"]
FILES = ("callbacks", "ends", "guard", "signals", "stream", "options")
# Of the median of a run beside that of a bare spawn, whose turn is next to it.
RATIO = 1.3
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit", "--target", "ES2022"]

USER = """
import { Sandbox, SbxError, type Result, type EventData, type Overrides } from "sbx-client";
const limits: Overrides = { memory: "64M", timeout: 5_000, env: { A: "1" } };
const sandbox = new Sandbox({ ...limits, profile: { network: "none", limits: { pids: 20 } } });
export async function main(): Promise<number | null> {
  const result: Result = await sandbox.run(["true"], { onStdout: (chunk: Buffer) => void chunk.length, signal: new AbortController().signal });
  const kept: Array<{ sha256: string }> = result.artifacts;
  for await (const event of sandbox.stream(["true"])) {
    const all: EventData = event;
    if (all.type === "exit") return all.exit_code;
  }
  // @ts-expect-error: a status that there is not
  if (result.status === "great") throw new SbxError(String(kept.length));
  const perhaps = process.env["MEMORY"];
  new Sandbox({ memory: perhaps, cwd: perhaps, workspace: undefined, profile: { name: perhaps, limits: { memory: perhaps } } });
  await sandbox.run(["true"], { timeout: undefined, signal: undefined, onStdout: undefined, overrides: { idle: perhaps } });
  // @ts-expect-error: an option that there is not
  new Sandbox({ memry: "64M" });
  return result.data.memory.peak_bytes;
}
export async function scoped(): Promise<string> {
  await using other = new Sandbox();
  return (await other.run(["echo", "1"])).stdout;
}
"""
USE = """
const sandbox = new Sandbox(JSON.parse(process.env.OPTIONS));
sandbox.run(["sh", "-c", "echo used; exit 3"]).then(async (result) => {
  await sandbox.close();
  console.log(result.stdout.trim(), result.code, result instanceof Result);
});
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The built copy of the source and its tarball."""
    return package.packed(tmp_path_factory.mktemp("node"))


@pytest.fixture(scope="module")
def project(made, tmp_path_factory):
    return package.installed(tmp_path_factory.mktemp("user"), made[1])


@pytest.fixture(scope="module")
def env(sbx_binary):
    return {"SBX_BIN": str(sbx_binary), "SBX_BEHAVIOURS": str(package.CLIENTS / "behaviours.json"),
            "SBX_TEST_NO_CGROUP": "1" if features.why_not("cgroup") else "0"}


@pytest.fixture(scope="module")
def results(made, env, tmp_path_factory):
    """Runs a file of the client's tests once; nothing of its runs may be left."""
    done = {}
    folders = {name: tmp_path_factory.mktemp(name) for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME")}
    for folder in folders.values():
        folder.chmod(0o700)

    def run(name):
        if name not in done:
            with pytest.MonkeyPatch.context() as patch:
                for variable, folder in folders.items():
                    patch.setenv(variable, str(folder))
                watch = leftovers.Watch()
                done[name] = *package.verdicts(made[0] / "test" / f"{name}.test.mjs", env), watch.problems()
        return done[name]

    return run


@pytest.mark.parametrize("case", [
    pytest.param(case, id=case["name"], marks=[pytest.mark.needs(*case["needs"])] if "needs" in case else [])
    for case in CASES])
def test_behaviour(results, case):
    verdicts, text, _ = results("behaviours")
    assert package.passed(verdicts.get(case["name"])), package.section(text, case["name"])


@pytest.mark.parametrize("name", FILES)
def test_file(results, made, name):
    verdicts, text, _ = results(name)
    declared = re.findall(r"^(?:test\(|  test\()", (made[0] / "test" / f"{name}.test.mjs").read_text(), re.M)
    assert len(verdicts) >= len(declared) > 0, text
    assert [package.section(text, one) for one, verdict in verdicts.items() if not package.passed(verdict)] == []


@pytest.mark.parametrize("name", ["behaviours", *FILES])
def test_nothing_is_left(results, name):
    assert results(name)[2] == []


def test_generated_types_are_current(made, env):
    package.node("node", "scripts/generate.mjs", "--check", cwd=made[0], env=env)
    stale = made[0] / "src" / "flags.ts"
    text = stale.read_text()
    try:
        stale.write_text(text.replace("memoryHigh?: string", "memoryHigh?: boolean"))
        with pytest.raises(AssertionError, match="is not what"):
            package.node("node", "scripts/generate.mjs", "--check", cwd=made[0], env=env)
    finally:
        stale.write_text(text)


def test_tarball_has_what_it_needs_and_no_more(project):
    root = project / "node_modules" / "sbx-client"
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert {"package.json", "README.md", "dist/esm/index.js", "dist/esm/index.d.ts", "dist/cjs/index.js",
            "dist/cjs/index.d.ts", "dist/esm/package.json", "dist/cjs/package.json"} <= found
    assert [path for path in found if not path.startswith("dist/") and path not in ("package.json", "README.md")] == []
    assert "dependencies" not in package.PACKAGE
    assert [one.name for one in (project / "node_modules").iterdir() if not one.name.startswith(".")] == ["sbx-client"]


@pytest.mark.parametrize("name, head", [("use.mjs", 'import { Sandbox, Result } from "sbx-client";'),
                                        ("use.cjs", 'const { Sandbox, Result } = require("sbx-client");')])
def test_package_is_used(project, env, sbx, degrade, name, head):
    (project / name).write_text(f"{head}\n{USE}")
    said = package.node("node", name, cwd=project, env={**env, "OPTIONS": json.dumps(degrade)})
    assert said == "used 3 true\n"


@pytest.mark.parametrize("suffix", ["mts", "cts"])
def test_package_is_type_checked(project, suffix):
    types = project / "node_modules" / "@types"
    if not types.exists():
        types.symlink_to(package.modules() / "@types")
    (project / f"user.{suffix}").write_text(USER)
    flags = ["--lib", "ES2022,ESNext.Disposable", "--module", "NodeNext", "--types", "node"]
    # The types of undici are beside @types/node: where the link leads.
    package.node("node", package.modules() / "typescript" / "bin" / "tsc", *STRICT, *flags, f"user.{suffix}", cwd=project)


def test_example_of_the_readme(project, env, sbx, degrade, open_folder):
    example = re.search(r"```js\n(.*?)```", (package.SOURCE / "README.md").read_text(), re.S)[1]
    extra = f"...{json.dumps(degrade)}, " if degrade else ""
    (project / "readme.mjs").write_text(example.replace("new Sandbox({ ", f"new Sandbox({{ {extra}", 1))
    said = package.node("node", "readme.mjs", cwd=project, env=env)
    promised = re.findall(r"console\.log\(.*?// (.*)", example)
    assert said.splitlines() == promised == ["ok 0 42", "done", "one", "3"]


def test_cost(made, env, sbx, degrade):
    """Beside a bare spawn of the same binary; a thousand rounds: scripts/cost.mjs."""
    flags = ["degrade=cgroup"] if degrade else []
    figures = json.loads(package.node("node", "scripts/cost.mjs", 60, *flags, cwd=made[0], env=env))
    assert figures["ratio_of_medians"] <= RATIO, figures


@pytest.fixture(scope="module")
def degrade():
    return {"degrade": ["cgroup"]} if features.why_not("cgroup") else {}
