"""The folders that only compute stay that way: no call of theirs can reach the kernel by itself."""
import re
import subprocess
from pathlib import Path

import pytest

from support.cache import BUILD

# Library calls by which a process, a file, a mount or a privilege would be touched.
DENIED = re.compile(r"""^_*(
    (f|v)?fork | clone3? | (f?)exec[vlp]+e? | posix_spawnp? | system | popen | wait(pid|id|3|4)? | kill | raise
  | open(at2?|64|at64)? | creat(64)? | f?open(64)? | freopen(64)? | opendir | mkstemp | tmpfile | read(link(at)?|v)? | pread(64)?
  | write(v)? | pwrite(64)? | unlink(at)? | rename(at2?)? | mkdir(at)? | rmdir | symlink(at)? | link(at)? | chdir | chroot
  | f?chmod(at)? | [fl]?chown(at)? | [fl]?stat(at|x|64)? | access | faccessat | truncate | ftruncate
  | mount | umount2? | pivot_root | unshare | setns | open_tree | move_mount | mount_setattr | fsopen
  | prctl | ptrace | setu?[ig]d | setres[ug]id | setgroups | cap[sg]et | seccomp | sethostname | setrlimit(64)? | setsid
  | socket(pair)? | connect | bind | accept4? | send(msg|to)? | recv(msg|from)? | ioctl | syscall | pipe2? | dup[23]? | fcntl(64)?
  | pthread_create | getenv | secure_getenv | time | gettimeofday | clock_gettime | sleep | u?sleep | nanosleep
  | getpw(nam|uid)(_r)? | getgr(nam|gid)(_r)? | dlopen | memfd_create
)$""", re.X)
# member of the archive -> what it may use all the same, and why
PURE = {
    "base": {"log.cpp.o": None},          # writes the log: it is the one that may
    "profile": {},
    "seccomp": {"compile.cpp.o": {"memfd_create", "read", "lseek", "lseek64"},     # libseccomp exports to
                "reference.cpp.o": {"memfd_create", "read", "lseek", "lseek64"}},  # a descriptor only
    "plan": {},
    "mcp": {},  # the library of what is said; the other one, which acts, is not looked at
    "batch": {},
}

ARCHIVES = {"mcp": "mcp_protocol"}


def undefined(archive):
    """{member: its undefined symbols}"""
    text = subprocess.run(["nm", "-u", "-P", "-A", archive], capture_output=True, text=True, check=True).stdout
    members = {}
    for line in text.splitlines():
        place, _, rest = line.partition(": ")
        member = place.rpartition("[")[2].rstrip("]") or place.rpartition("/")[2]
        members.setdefault(member.rpartition("/")[2], set()).add(rest.split()[0])
    return members


@pytest.mark.needs("program:nm")
@pytest.mark.parametrize("folder", PURE)
def test_a_pure_folder_calls_nothing_that_acts(folder):
    archive = BUILD / "src" / folder / f"libsbx_{ARCHIVES.get(folder, folder)}.a"
    if not archive.exists():
        pytest.skip("needs the build folder: this is a copy of the tree without its libraries")
    members = undefined(archive)
    assert members, "an empty library proves nothing"
    wrong = []
    for member, symbols in members.items():
        allowed = PURE[folder].get(member, set())
        if allowed is not None:
            wrong += [f"{member}: {s}" for s in sorted(symbols) if DENIED.match(s) and s not in allowed]
    assert not wrong, "\n".join(wrong)


@pytest.mark.needs("program:nm")
def test_the_outcome_is_decided_without_looking_at_anything():
    archive = BUILD / "src" / "supervise" / "libsbx_supervise.a"
    if not archive.exists():
        pytest.skip("needs the build folder: this is a copy of the tree without its libraries")
    members = undefined(archive)
    assert "outcome.cpp.o" in members
    for member in ("outcome.cpp.o", "result_json.cpp.o", "output_cap.cpp.o", "deadline.cpp.o", "forward.cpp.o",
                   "control_protocol.cpp.o", "live_json.cpp.o", "json_figures.cpp.o", "timing.cpp.o",
                   "timing_json.cpp.o"):
        assert not [s for s in members.get(member, ()) if DENIED.match(s)], member


@pytest.mark.needs("program:nm")
def test_control_the_folders_that_act_would_be_noticed():
    archive = BUILD / "src" / "os" / "libsbx_os.a"
    if not archive.exists():
        pytest.skip("needs the build folder: this is a copy of the tree without its libraries")
    found = {s for symbols in undefined(archive).values() for s in symbols if DENIED.match(s)}
    assert {"prctl", "syscall"} <= found and found & {"openat", "openat64"}, found


# They load libraries into a static program, as its own glibc made them; with the binary's own start (src/static_start.c)
# they are refused as well.
LOADING = re.compile(r"""^_*(dl(m?open|sym) | (get|set|end)(pw(ent|nam|uid)|gr(ent|nam|gid)|(serv|proto|host|net)(ent|by))\w*
  | getaddrinfo | getnameinfo | initgroups | iconv_open)$""", re.X)


@pytest.mark.needs("program:nm")
def test_nobody_asks_for_what_loads_libraries():
    archives = sorted((BUILD / "src").glob("*/libsbx_*.a"))
    if not archives:
        pytest.skip("needs the build folder: this is a copy of the tree without its libraries")
    assert LOADING.match("getpwuid_r") and LOADING.match("dlopen") and not LOADING.match("getgroups")
    assert [f"{member}: {symbol}" for archive in archives for member, symbols in undefined(archive).items()
            for symbol in sorted(symbols) if LOADING.match(symbol)] == []


def test_nobody_uses_the_standard_streams():
    """Their initialiser is left out (src/no_streams.cpp): std::cout would be a null pointer."""
    source = Path(__file__).resolve().parents[2] / "src"
    users = [str(file) for file in sorted(source.rglob("*.[ch]pp")) if file.name != "no_streams.cpp"
             and re.search(r"\bstd::w?(cin|cout|cerr|clog)\b|<iostream>", file.read_text())]
    assert not users, users
