"""The payload sees no file, process, name or secret that the plan does not name."""
import os
from pathlib import Path

import pytest

from escape.attacks import (Attack, test_contained, test_one_wall_less_still_contains,  # noqa: F401
                            test_works_without_its_walls)

HIDDEN = ("/home", "/root", "/var", "/run", "/opt", "/srv", "/mnt", "/media", "/boot", "/sys", "/lost+found")
MASKED = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/kallsyms", "/proc/sched_debug",
          "/proc/latency_stats", "/proc/vmallocinfo", "/proc/kpageflags", "/proc/key-users", "/proc/slabinfo",
          "/proc/kmsg", "/proc/interrupts")
# Readable by anybody on an ordinary kernel, so that only the mask stands before them.
MASKED_FOR_EVERYBODY = ("/proc/kallsyms", "/proc/interrupts")

ATTACKS = [
    *[Attack(f"cannot_see_into_{path.strip('/').replace('+', '_')}", f"lists {path}",
             why_no_control="what a grant shows is asked below, with a file of the test's own") for path in HIDDEN],
    *[Attack(f"cannot_read_{path.strip('/').replace('/', '_')}", f"reads {path}",
             **({"walls": ("mask_path",)} if path in MASKED_FOR_EVERYBODY else
                {"why_no_control": "this kernel may lack it, and root alone may read it"})) for path in MASKED],
    Attack("cannot_find_a_file_next_to_the_workspace", "finds {secret}", granted_by=("--ro", "{secret}:{secret}")),
    Attack("cannot_climb_out_of_its_working_directory", "climb {secret}", bare="any"),
    Attack("cannot_read_the_hosts_shadow_file", "reads /etc/shadow", bare="root"),
    Attack("cannot_read_the_machine_id", "file-holds /etc/machine-id {machine_id}",
           bare="any"),
    Attack("cannot_read_kernel_memory", "open-read /dev/mem", bare="root"),
    Attack("cannot_read_the_kernel_log", "open-read /dev/kmsg", bare="root"),
    Attack("cannot_see_other_processes", "sees-processes", bare="any"),
    Attack("cannot_see_the_callers_environment", "environment SBX_TEST_SECRET",
           granted_by=("--env", "SBX_TEST_SECRET")),
    Attack("cannot_see_the_callers_environment_through_init", "settled file-holds /proc/1/environ hunter2",
           walls=("set_dumpable", "apply_landlock")),
]


@pytest.fixture(autouse=True)
def callers_secret(monkeypatch):
    monkeypatch.setenv("SBX_TEST_SECRET", "hunter2")


@pytest.fixture
def scene(secret):
    path = Path("/etc/machine-id")
    return {"secret": secret, "machine_id": path.read_text().strip() if path.exists() else "none-here"}


@pytest.mark.needs("root")
@pytest.mark.parametrize("folder", ["/home", "/root", "/var/tmp", "/run", "/opt", "/srv", "/mnt"])
def test_a_file_planted_in_a_hidden_folder_is_seen_only_when_named(stage, folder):
    path = Path(folder) / f"test-of-sbx-{os.getpid()}"
    path.write_text("planted\n")
    try:
        attack = Attack(f"planted in {folder}", f"file-holds {path} planted")
        stage.contained(attack)
        stage.escaped(attack, stage.sbx, flags=("--ro", f"{path}:{path}"))
    finally:
        path.unlink()


def test_environment_is_an_allowlist(sbx):
    """Nothing of the caller's environment enters but what the profile passes."""
    names = {line.partition("=")[0] for line in sbx.run(cmd=["env"]).assert_ok().out.splitlines()}
    assert names <= {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR", "PWD", "SHLVL", "_",
                     "HOSTNAME"} | {n for n in names if n.startswith("LC_")}


def test_mount_table_names_no_folder_of_the_hosts_but_the_plans(sbx, secret):
    """The kernel shows a bind mount's place on its disk; nothing beyond what was bound may show."""
    run = sbx.run(cmd=["cat", "/proc/self/mountinfo"]).assert_ok()
    for line in run.out.splitlines():
        fields = line.split(" ")
        assert not any(f.startswith(("master:", "shared:", "propagate_from:")) for f in fields[6:]), line
        root = fields[3]
        assert not root.startswith(("/root", "/home", "/var", "/opt", "/srv", "/mnt")) or "/work" in root, line


def test_mask_hides_a_file_of_the_workspace(sbx):
    (sbx.cwd / ".env").write_text("PASSWORD=hunter2\n")
    (sbx.cwd / "sub").mkdir()
    (sbx.cwd / "sub" / "key.pem").write_text("hunter2\n")
    show = ["sh", "-c", "cat /workspace/.env /workspace/sub/key.pem"]
    profile = {"version": 1, "mask": ["/workspace/.env", "/workspace/**/*.pem"]}
    assert "hunter2" not in sbx.run(profile, cmd=show).out
    assert sbx.run(cmd=show).assert_ok().out.count("hunter2") == 2
