"""The payload cannot look into init, trace it, take from it, or use it to stay."""
import pytest

from escape.attacks import (Attack, test_contained, test_one_wall_less_still_contains,  # noqa: F401
                            test_works_without_its_walls)

ATTACKS = [
    Attack("cannot_open_the_entries_of_init", "settled inspect 1", walls=("set_dumpable",)),
    Attack("cannot_trace_init", "settled trace 1", walls=("install_seccomp", "set_dumpable", "apply_landlock")),
    Attack("cannot_read_the_memory_of_init", "settled read-memory 1",
           walls=("install_seccomp", "set_dumpable", "apply_landlock")),
    Attack("cannot_take_a_descriptor_of_init", "settled steal-descriptor 1",
           walls=("install_seccomp", "set_dumpable", "apply_landlock")),
    Attack("cannot_reach_the_launcher", "settled open-read /proc/1/exe", walls=("set_dumpable", "apply_landlock")),
    Attack("cannot_write_the_launcher", "settled open-write /proc/1/exe",
           why_no_control="the program belongs to root, who is nobody inside: a wall that stays"),
    Attack("cannot_change_the_limits_of_init", "limit 1", walls=("install_seccomp",)),
    Attack("cannot_keep_the_processor_from_init", "settled schedule 1", walls=("install_seccomp",)),
    Attack("cannot_kill_init", "kill-init", why_no_control="the kernel keeps pid 1 of a namespace alive"),
]


def test_a_crippled_init_does_not_change_how_the_run_ends(sbx, probe):
    """A payload may weaken init (they are one user), and gains nothing by it."""
    run = sbx.run(flags=[*probe.flags, "--timeout", "5s"], cmd=[probe.path, "cripple-init", "end"], timeout=20)
    assert run.seconds < 5, run
    # Either init shrugged it off, or the kernel ended it: that is said, and never as success of 0.
    assert run.status in ("ok", "signal", "internal_error"), run
    assert (run.status == "ok") == (run.code == 0), run


def test_a_crippled_init_does_not_outlive_its_deadline(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--timeout", "1s"], cmd=[probe.path, "cripple-init", "stay"], timeout=20)
    assert run.seconds < 5 and run.code != 0, run


@pytest.mark.parametrize("walls", [("set_dumpable",), ("apply_landlock",)], ids="-".join)
def test_memory_of_init_stays_closed(stage, walls):
    """/proc/1/mem is a second way to what ptrace does; each wall keeps it closed."""
    attack = Attack("memory of init", "settled open-write /proc/1/mem")
    stage.without(attack, walls, stage.contained)
