"""The programs that the benchmark is made of, compiled into its folder, and the tables made from them."""
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SOURCES = {
    "floor": ("floor.c", "root.c", "mounts.c", "filter.c", "groups.c"),
    "spawn": ("spawn.c", "command.c", "rate.c", "hold.c", "stream.c"),
    "inside": ("inside.c",),
}


def compile_all(folder):
    for name, sources in SOURCES.items():
        subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-static", "-o", folder / name,
                        *(HERE / source for source in sources)], check=True)
    # The filter as instructions, for those that take one as it is.
    subprocess.run([folder / "floor", "--filter", folder / "filter"], check=True)


def call_names():
    """Name -> number of the system calls that this host's headers know."""
    text = subprocess.run(["cc", "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"], check=True,
                          capture_output=True, text=True).stdout
    return {name: int(number) for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", text, re.M)}


def allowed_calls(folder):
    """The names on the filter's allowlist, for those that make their own filter of them."""
    numbers = {int(line) for line in subprocess.run([folder / "floor", "--allowed"], check=True, capture_output=True,
                                                    text=True).stdout.split()}
    return {name: number for name, number in call_names().items() if number in numbers}

