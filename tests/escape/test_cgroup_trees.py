"""The host's trees of cgroups, where a profile shows them: who may write there kills what is in them, and lifts limits.
Of an ordinary user's run they have the owner that the command has, wherever a service manager has delegated them."""
import pytest

from support import cgroups

TREES = {
    "of_sys": (["--rw", "/sys:/place"], "/place"),
    "of_the_host": (["--rw", "/:/place"], "/place/sys"),
    "of_the_workspace": (["--workspace", "/:rw"], "/workspace/sys"),
}
LIMIT, WANTED = 8, 20
LIFT = f"""
import os, subprocess, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in {{"pids.max", "cgroup.kill", "cgroup.freeze", "cgroup.procs"}} & set(names):
        try: os.close(os.open(f"{{folder}}/{{name}}", os.O_WRONLY))
        except OSError: continue
        print("opened", name)
        if name == "pids.max":
            try: open(f"{{folder}}/{{name}}", "w").write("max")
            except OSError: pass
children = []
try: children += [subprocess.Popen(["sleep", "60"]) for _ in range({WANTED})]
except OSError: print("limited")
else: print("lifted")
"""


def lift(program, flags, place, **options):
    flags = [*flags, "--pids", str(LIMIT), "--degrade", "idmap"]
    return program.run(flags=flags, cmd=["/usr/bin/python3", "-c", LIFT, place], **options).assert_ok()


@pytest.mark.needs("cgroup:pids")
@pytest.mark.parametrize("flags, place", TREES.values(), ids=list(TREES))
def test_a_command_lifts_no_limit(sbx, flags, place):
    assert lift(sbx, flags, place).out == "limited\n"


@pytest.mark.needs("cgroup:pids", "user")
def test_control_of_a_tree_that_nothing_covers(weakened):
    run = lift(weakened, *TREES["of_sys"], env={"SBX_TEST_WITHOUT": "mask_path"})
    assert "opened pids.max" in run.out and run.out.endswith("lifted\n"), run


@pytest.mark.needs("cgroup")
@pytest.mark.parametrize("flag", ["--rw {}:/place", "--workspace {}:rw"])
def test_none_is_writable_by_itself(sbx, flag):
    for hierarchy in cgroups.own():
        run = sbx.run(flags=[*flag.format(hierarchy.path).split(), "--degrade", "idmap"], cmd=["true"])
        run.assert_refused("cannot show", "cgroups", "read-only")


@pytest.mark.needs("cgroup")
@pytest.mark.parametrize("flags", [["--ro", "{}:/place"], ["--ro", "/:/host"]], ids=["itself", "with_the_host"])
def test_they_can_be_read(sbx, flags):
    (hierarchy, *_) = cgroups.own()
    place = "/place" if "{}" in flags[1] else f"/host{hierarchy.path}"
    flags = [*(flag.format(hierarchy.path) for flag in flags), "--degrade", "idmap"]
    run = sbx.run(flags=flags, cmd=["sh", "-c", f"cat {place}/cgroup.procs >/dev/null && ls {place}"])
    assert "cgroup.procs" in run.assert_ok().out.split()
