"""Huge pages, which no memory limit counts: none for a tree with such a limit, by their own controller
or by the system-call filter, whichever the host has."""
import pytest

from escape.attacks import CONTAINED, ESCAPED

pytestmark = [pytest.mark.needs("cgroup:memory"), pytest.mark.needs("huge-pages")]

WAYS = ["mmap", "memfd", "shm"]


@pytest.mark.parametrize("way", WAYS)
def test_a_limited_tree_gets_none(sbx, probe, way):
    run = sbx.run(flags=[*probe.flags, "--memory", "128M"], cmd=[probe.path, "huge-page", way])
    assert run.code == CONTAINED, run
    assert "hugetlb" in run.result["isolation"]["enforced"], run


# By shmget(2) the kernel gives them to one group of the host's alone (vm.hugetlb_shm_group), which the user's
# bed has set; root's payload has a host id, and so a group, drawn by lot.
@pytest.mark.parametrize("way", [*WAYS[:-1], pytest.param(WAYS[-1], marks=pytest.mark.needs("user"))])
def test_control_without_a_limit_they_are_there(sbx, probe, way):
    run = sbx.run(flags=[*probe.flags, "--memory", "none"], cmd=[probe.path, "huge-page", way])
    assert run.code == ESCAPED, run
