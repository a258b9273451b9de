"""Whether a host has huge pages, which no memory limit counts, is asked of files; what cannot be read does not
count as none. In a mount namespace of the test's own, without the controller that would do without knowing."""
import subprocess

import pytest

SCRIPT = """
umount -a -l -t cgroup,cgroup2
cd "$1"
echo 0 >zero
mkfifo fifo
for file in /sys/kernel/mm/hugepages/*/nr_hugepages /sys/kernel/mm/hugepages/*/nr_overcommit_hugepages; do
  mount --bind zero "$file" || exit 99
done
[ "$2" = zero ] || mount --bind "$2" "$file"
shift 2
exec "$@"
"""


@pytest.mark.needs("root")
@pytest.mark.parametrize("file, limited", [("zero", False), ("fifo", True)])
def test_a_file_that_cannot_be_read_is_not_none(sbx, tmp_path, file, limited):
    argv = [sbx.binary, "run", "--degrade", "cgroup", "--memory", "64M", "--result", "/dev/stdout", "--", "true"]
    run = subprocess.run(["unshare", "--mount", "sh", "-c", SCRIPT, "sh", tmp_path, file, *argv],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert run.returncode == 0 and ('"hugetlb"' in run.stdout) == limited, run
