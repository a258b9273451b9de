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
# Library -> member -> what it uses all the same, and why.
PURE = {
    "base": {},
    "diagnose": {},
    "redact": {},
    "seccomp": {},
    "seccomp_core": {"reference.cpp.o": {"memfd_create", "pread64"}},  # libseccomp exports to a descriptor only
    "network": {},
    "protocol": {},
    "profile": {},
    "batch": {},
    "plan": {},
    "report": {},
    "learn": {},
    "mcp_protocol": {},  # what is said; the other one of that folder, which acts, is not looked at
}
FOLDERS = {"seccomp_core": "seccomp", "mcp_protocol": "mcp"}


def undefined(archive):
    """{member: its undefined symbols}"""
    text = subprocess.run(["nm", "-P", "-A", archive], capture_output=True, text=True, check=True).stdout
    members = {}
    for line in text.splitlines():
        place, _, rest = line.partition(": ")
        member = place.rpartition("[")[2].rstrip("]") or place.rpartition("/")[2]
        symbol, kind = rest.split()[:2]
        of_member = members.setdefault(member.rpartition("/")[2], set())
        if kind in ("U", "w"):
            of_member.add(symbol)
    return members


@pytest.mark.needs("program:nm")
@pytest.mark.parametrize("library", PURE)
def test_a_pure_library_calls_nothing_that_acts(library):
    archive = BUILD / "src" / FOLDERS.get(library, library) / f"libsbx_{library}.a"
    if not archive.exists():
        pytest.skip("needs the build folder: this is a copy of the tree without its libraries")
    members = undefined(archive)
    assert members, "an empty library proves nothing"
    acts = {member: {s for s in symbols if DENIED.match(s)} for member, symbols in members.items()}
    assert {member: symbols for member, symbols in acts.items() if symbols} == PURE[library]


@pytest.mark.needs("program:nm")
def test_the_outcome_is_decided_without_looking_at_anything():
    archive = BUILD / "src" / "supervise" / "libsbx_supervise.a"
    if not archive.exists():
        pytest.skip("needs the build folder: this is a copy of the tree without its libraries")
    members = undefined(archive)
    assert "outcome.cpp.o" in members
    for member in ("outcome.cpp.o", "outcome_end.cpp.o", "outcome_killed.cpp.o", "outcome_memory.cpp.o",
                   "result_json.cpp.o", "output_cap.cpp.o", "deadline.cpp.o", "forward.cpp.o", "control_protocol.cpp.o",
                   "live_json.cpp.o", "json_figures.cpp.o", "timing.cpp.o", "timing_json.cpp.o"):
        assert not [s for s in members[member] if DENIED.match(s)], member


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


def test_no_folder_includes_what_the_table_of_contributing_does_not_give_it():
    root = Path(__file__).resolve().parents[2]
    rows = re.findall(r"^\| `(\w+)` \| .* \| ([\w, ]+) \|$", (root / "CONTRIBUTING.md").read_text(), re.M)
    may = {folder: set() if used == "nothing" else set(used.split(", ")) for folder, used in rows}
    folders = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    assert set(may) == folders and may["cli"] == {"all"}

    def reaches(folder):
        return may[folder].union(*map(reaches, may[folder]))
    wrong = [f"{file.relative_to(root)}: {used}" for folder in folders - {"cli"}
             for file in sorted((root / "src" / folder).rglob("*.[ch]pp"))
             for used in re.findall(r'^#include "(\w+)/', file.read_text(), re.M)
             if used != folder and used not in reaches(folder)]
    assert not wrong, wrong


def test_nobody_uses_the_standard_streams():
    """Their initialiser is left out (src/no_streams.cpp): std::cout would be a null pointer."""
    source = Path(__file__).resolve().parents[2] / "src"
    users = [str(file) for file in sorted(source.rglob("*.[ch]pp")) if file.name != "no_streams.cpp"
             and re.search(r"\bstd::w?(cin|cout|cerr|clog)\b|<iostream>", file.read_text())]
    assert not users, users
