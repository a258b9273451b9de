"""The most memory that a program has had."""
import subprocess

# A small process between: the kernel counts what a process has had before its execve(2) as well, and of one that a
# whole test suite has forked that is much.
BETWEEN = """
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "wb"), check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def memory_of(argv, cwd, out="/dev/null"):
    """Bytes, of the largest of its processes. It has to succeed; what it writes goes into the file `out`."""
    return int(subprocess.run(["/usr/bin/python3", "-I", "-S", "-c", BETWEEN, str(out), *map(str, argv)], cwd=cwd,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout)
