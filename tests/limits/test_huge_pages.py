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


@pytest.mark.parametrize("way", WAYS)
def test_control_without_a_limit_they_are_there(sbx, probe, way):
    run = sbx.run(flags=[*probe.flags, "--memory", "none"], cmd=[probe.path, "huge-page", way])
    assert run.code == ESCAPED, run
