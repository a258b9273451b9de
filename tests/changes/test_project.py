"""A project of 20,000 files and 200 MB: what a kept overlay costs, and that its list is what other tools say."""
import os
import statistics
import subprocess

import pytest

pytestmark = pytest.mark.needs("overlay")

FOLDERS, FILES, SIZE = 200, 100, 10_000
BUILD = """
mkdir -p build/obj
for i in $(seq 0 99); do wc -c src/7/f$i > build/obj/f$i.o; done
sed -i 's/^/# /' src/3/f1; chmod 755 src/3/f2; rm src/4/f4; rm -r src/5; mv src/6/f6 src/6/renamed
cp src/8/f8 src/8/same; cat src/8/same > src/8/f8; ln -s ../src link; touch src/9/f9; echo > 'a name
of two lines'
"""


@pytest.fixture
def project(kept):
    top = kept.sbx.cwd
    for folder in range(FOLDERS):
        (top / "src" / str(folder)).mkdir(parents=True)
        for number in range(FILES):
            line = f"{folder} {number}\n".encode()
            (top / "src" / str(folder) / f"f{number}").write_bytes(line * (SIZE // len(line)))
    return top


def test_an_overlay_that_is_kept_starts_as_fast_as_a_read_only_workspace(kept, project):
    times = {"ro": [], "overlay": []}
    for number in range(101):
        for mode, found in times.items():
            flags = ["--workspace", f".:{mode}", *(["--keep", "diff"] if mode == "overlay" else [])]
            run = kept.sbx.run(flags=flags, cmd=["true"]).assert_ok()
            if number > 0:  # the first pays for caches
                found.append(run.result["setup_ms"])
    # What else the machine does comes on top: of its busy moments nothing is to be learned.
    quiet = {mode: statistics.quantiles(found, n=10)[0] for mode, found in times.items()}
    assert quiet["overlay"] - quiet["ro"] < 1, quiet


def rsync_changes(source, target):
    """{path: kind}, by the contents; folders' times are nobody's business."""
    done = subprocess.run(["rsync", "-n", "-rlpDi8", "--checksum", "--delete", f"{source}/", f"{target}/"], capture_output=True, check=True)
    names = {}
    for line in done.stdout.splitlines():
        # rsync writes bytes that are not for terminals as \#ooo, also with -8.
        code, name = line[:11].strip(), line[12:].replace(rb"\#012", b"\n").split(b" -> ")[0].rstrip(b"/")
        if code == b"*deleting":
            names[name] = "deleted"
        elif code.endswith(b"+++++++"):
            names[name] = "added"
        elif code[2:3] in b"cs" or b"p" in code[2:]:
            names[name] = "modified"
    return names


def git_changes(top):
    """{path: kind} of files: git knows no folders."""
    done = subprocess.run(["git", "status", "--porcelain=v1", "-z", "--no-renames", "-uall"], cwd=top, capture_output=True, check=True)
    words = {b"??": "added", b" M": "modified", b" D": "deleted", b" T": "modified"}
    return {entry[3:]: words[entry[:2]] for entry in done.stdout.split(b"\0") if entry}


def test_what_a_build_has_changed_is_what_rsync_and_git_say(kept, project, tmp_path):
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"]}
    original = tmp_path / "original"
    subprocess.run(["cp", "-a", str(project), str(original)], check=True)
    run = kept.sbx.run(flags=["--workspace", ".:overlay", "--keep", "diff"], cmd=["sh", "-c", BUILD]).assert_ok()
    name = run.result["changes"]["run"]
    listed = kept.changes(name)
    assert rsync_changes(original, project) == {}  # the run has not touched it
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=project, check=True, env=env, capture_output=True)
    assert kept.apply(name).returncode == 0
    by_git = git_changes(project)
    subprocess.run(["rm", "-r", str(project / ".git")], check=True)
    assert listed == rsync_changes(project, original)
    folders = {path for path, kind in listed.items() if (project if kind != "deleted" else original).joinpath(os.fsdecode(path)).is_dir()
               and not (project / os.fsdecode(path)).is_symlink()}
    assert {path: kind for path, kind in listed.items() if path not in folders} == by_git
    assert len(listed) == 100 + 2 + 1 + 1 + 1 + (FILES + 1) + 2 + 1 + 1 + 1


def test_diff_is_what_git_apply_takes(kept):
    top = kept.sbx.cwd
    (top / "file").write_text("one\ntwo\nthree\n")
    (top / "moved").write_text("moved\n" * 9)
    run = kept.run("sed -i s/two/2/ file; chmod 755 file; mv moved 'to \"here\"'; ln -s file link; printf end > new").result["id"]
    patch = kept.verb("diff", run, "--patch").stdout
    assert b"rename from moved" in patch and b"\x1b" not in patch
    subprocess.run(["git", "init", "-q", "."], cwd=top, check=True)
    applied = subprocess.run(["git", "apply"], cwd=top, input=patch, capture_output=True)
    assert applied.returncode == 0, applied
    # The same as to apply it: nothing is left to do.
    assert kept.apply(run).stdout.startswith(b"0 changes applied")
