"""The start of the static binary, which is our own (src/static_start.c, src/late.ld): what it leaves out stays left out,
and what the rest of libc relies on is there."""
import ctypes
import os
import platform
import re
import signal
import struct
import subprocess

import pytest

from support.cache import BUILD, ROOT

SBX = BUILD / "src" / "sbx"
# Both ask before they decompress an image's layer, or digest one: by then it pays.
MAY_ASK = re.compile(r"sha256_blocks_accelerated|^ZSTD_")
TRACEME, PEEKUSER, SYSCALL = 0, 3, 24  # ptrace(2)
ORIG_RAX, FS_BASE = 15 * 8, 21 * 8     # sys/user.h
FCNTL, AT_RANDOM = 72, 25


@pytest.fixture(autouse=True)
def ours():
    if platform.libc_ver() != ("glibc", "2.36"):
        pytest.skip("a binary of another glibc starts as that does (src/meson.build)")
    shown = subprocess.run(["readelf", "-h", "-l", "-W", SBX], capture_output=True, text=True, check=True).stdout
    if "INTERP" in shown or "Type:                              DYN" in shown:
        pytest.skip("only of the static binary that does not relocate itself can the pointers be read")


def askers(program):
    """The functions of `program` in which the processor is asked what it is."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True,
                          check=True).stdout
    found, function = set(), None
    for line in text.splitlines():
        if name := re.fullmatch(r"[0-9a-f]+ <(.+)>:", line):
            function = name[1]
        elif re.search(r"\tcpuid\b", line):
            found.add(function)
    return found


@pytest.mark.needs("program:objdump")
def test_the_start_does_not_ask_the_processor():
    assert [name for name in askers(SBX) if not MAY_ASK.search(name)] == []


@pytest.mark.needs("program:objdump", "program:cc")
def test_control_glibc_s_own_start_does(tmp_path):
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "-o", tmp_path / "empty", tmp_path / "empty.c"], check=True)
    assert "__libc_start_main" in askers(tmp_path / "empty")


def section(name):
    """The pointers in a section of the binary, as far as it is one that does not relocate itself."""
    shown = subprocess.run(["readelf", "-S", "-W", SBX], capture_output=True, text=True, check=True).stdout
    found = re.search(rf" {re.escape(name)} +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", shown)
    assert found, f"{name} is missing:\n{shown}"
    at, size = int(found[1], 16), int(found[2], 16)
    with SBX.open("rb") as file:
        file.seek(at)
        return struct.unpack(f"<{size // 8}Q", file.read(size))


def names_of(addresses):
    shown = subprocess.run(["nm", SBX], capture_output=True, text=True, check=True).stdout
    names = {int(line.split()[0], 16): line.split()[2] for line in shown.splitlines() if line[0] != " "}
    return [names.get(address, "?") for address in addresses]


@pytest.mark.needs("program:readelf", "program:nm")
def test_constructors_that_most_starts_do_not_need_wait():
    before_main, late = names_of(section(".init_array")), names_of(section(".late_array"))
    waiting = re.compile(r"YAML|any_line")
    assert before_main and not [name for name in before_main if waiting.search(name)], before_main
    assert len(late) > 5 and all(waiting.search(name) for name in late), late


def test_whoever_uses_those_libraries_starts_them():
    users = [file for file in sorted((ROOT / "src").rglob("*.[ch]pp"))
             if re.search(r"#include <(yaml-cpp|CLI)/", file.read_text())]
    assert len(users) == 2 and all("start_libraries();" in file.read_text() for file in users), users


def stopped_in_main(libc):
    """A child that is `sbx --version`, at the first call that main() makes."""
    child = os.fork()
    if child == 0:
        try:
            if libc.ptrace(TRACEME, 0, 0, None) == 0:
                os.execv(SBX, ["sbx", "--version"])
        finally:
            os._exit(126)
    _, status = os.waitpid(child, 0)
    if not os.WIFSTOPPED(status):
        pytest.skip("nobody may be traced here (ptrace(2))")
    for _ in range(500):
        libc.ptrace(SYSCALL, child, 0, None)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            pytest.fail(f"main() was not reached: {status:#x}")
        if libc.ptrace(PEEKUSER, child, ORIG_RAX, None) == FCNTL:
            return child
    end(child)
    raise AssertionError("main() was not reached")


def end(child):
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_canary_and_pointer_guard_are_the_kernel_s_random_bytes():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype, libc.ptrace.argtypes = ctypes.c_long, [ctypes.c_long] * 3 + [ctypes.c_void_p]
    child = stopped_in_main(libc)
    try:
        block = libc.ptrace(PEEKUSER, child, FS_BASE, None) % 2**64
        with open(f"/proc/{child}/auxv", "rb") as file:
            values = dict(struct.iter_unpack("<QQ", file.read()))
        with open(f"/proc/{child}/mem", "rb") as memory:
            memory.seek(values[AT_RANDOM])
            random = struct.unpack("<QQ", memory.read(16))
            memory.seek(block + 0x28)
            guards = struct.unpack("<QQ", memory.read(16))
    finally:
        end(child)
    assert guards == (random[0] & ~0xff, random[1]) and all(guards)
