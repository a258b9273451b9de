"""Whether a host has huge pages, which no memory limit counts, or swap space, is asked of files; what cannot be
read does not count as none. In a mount namespace of the test's own, without the groups that would do without
knowing."""
import json
import subprocess

import pytest

HIDE = """
umount -a -l -t cgroup,cgroup2
cd "$1"
echo 0 >zero
mkfifo fifo
"""

HUGE_PAGES = """
for file in /sys/kernel/mm/hugepages/*/nr_hugepages /sys/kernel/mm/hugepages/*/nr_overcommit_hugepages; do
  mount --bind zero "$file" || exit 99
done
[ "$2" = zero ] || mount --bind "$2" "$file"
"""

SWAP = 'mount --bind "$2" /proc/swaps || exit 99'  # which has a line of headings at least


def isolation(sbx, folder, hide, file):
    # Not a run: where something is mounted in /proc, the kernel gives no other one.
    argv = [sbx.binary, "explain", "--degrade", "cgroup", "--memory", "64M", "--json", "--", "true"]
    script = f'{HIDE}\n{hide}\nshift 2; exec "$@"'
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", folder, file, *argv],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert run.returncode == 0, run
    return json.loads(run.stdout)["isolation"]


@pytest.mark.needs("root")
@pytest.mark.parametrize("file, limited", [("zero", False), ("fifo", True)])
def test_huge_pages(sbx, tmp_path, file, limited):
    assert ("hugetlb" in isolation(sbx, tmp_path, HUGE_PAGES, file)["enforced"]) == limited


@pytest.mark.needs("root")
@pytest.mark.parametrize("file, missed", [("zero", False), ("fifo", True)])
def test_swap(sbx, tmp_path, file, missed):
    assert ("swap" in isolation(sbx, tmp_path, SWAP, file)["degraded"]) == missed
