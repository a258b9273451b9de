"""Payloads that want something else kept than what they could read, or want the keeping to go wrong."""
import base64
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.waiting import children_of

SECRET = "of-the-host-alone\n"


def paths(run):
    return [one.get("path") or base64.b64decode(one["path_base64"]) for one in run.result["artifacts"]]


def warned(run, *words):
    return any(all(word in warning for word in words) for warning in run.result["warnings"])


def test_links_are_never_followed(store, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir(mode=0o755)
    (secret / "file").write_text(SECRET)
    (secret / "file").chmod(0o644)
    run = store.run(f"mkdir out; ln -s {secret}/file out/direct; ln -s {secret} out/folder; ln -s /etc/shadow out/shadow;"
                    f"ln -s ../../../../../../..{secret}/file out/up; echo real > out/real; ln -s real out/inner")
    assert paths(run) == ["/workspace/out/real"]
    assert warned(run, "symbolic links", ": 5")
    # As the place that the pattern leads through, and as a link of the workspace to the host.
    run = store.run(f"rm -r out; ln -s {secret} out")
    assert paths(run) == [] and warned(run, 'what /workspace/out leads to', "symbolic links")
    run = store.run(f"rm out; ln -s {secret}/file out", collect=["/workspace/out"])
    assert paths(run) == [] and warned(run, 'what /workspace/out leads to')
    # A wildcard that meets it has not named it.
    run = store.run("true", collect=["/workspace/ou?/**"])
    assert paths(run) == [] and warned(run, "symbolic links", ": 1") and not warned(run, "leads to")


def test_what_the_command_may_not_read_is_not_kept(store):
    """As root the supervisor could: the command's file modes count, and those of the host's files."""
    shared = store.sbx.cwd / "shared"
    shared.mkdir()
    (shared / "open").write_text("open\n")
    (shared / "closed").write_text(SECRET)
    (shared / "closed").chmod(0)
    (shared / "hidden").mkdir()
    (shared / "hidden/file").write_text(SECRET)
    (shared / "hidden").chmod(0)
    run = store.run("true", collect=["/workspace/shared/**"])
    assert paths(run) == ["/workspace/shared/open"]
    assert warned(run, "could not have read", ": 2")
    (shared / "hidden").chmod(0o755)
    (shared / "closed").chmod(0o644)  # the control: it is the mode that kept it out
    run = store.run("true", collect=["/workspace/shared/**"])
    assert len(paths(run)) == 3


@pytest.mark.needs("root")
def test_files_of_root_that_others_may_not_read_are_not_kept(store, tmp_path):
    place = tmp_path / "place"
    place.mkdir(mode=0o755)
    (place / "of-root").write_text(SECRET)
    (place / "of-root").chmod(0o600)
    (place / "of-group").write_text(SECRET)
    (place / "of-group").chmod(0o640)
    (place / "of-all").write_text("fine\n")
    os.chown(place, 1, 1)  # whose files would show as the command's own
    flags = ["--ro", f"{place}:/place"]
    inside = store.run("cat /place/of-root /place/of-group", *flags)
    assert SECRET.strip() not in inside.out, "the command reads it itself: this tests nothing"
    run = store.run("true", *flags, collect=["/place/**"])
    assert paths(run) == ["/place/of-all"]
    for path in store.objects():
        assert SECRET not in path.read_text()


def test_masked_files_are_not_kept(store):
    (store.sbx.cwd / "key.pem").write_text(SECRET)
    run = store.run("true", "--mask", "/workspace/*.pem", collect=["/workspace/*.pem"])
    assert all(SECRET not in path.read_text() for path in store.objects()), run
    run = store.run("true", collect=["/workspace/*.pem"])  # the control
    assert any(SECRET in path.read_text() for path in store.objects()), run


def test_fifos_sockets_and_devices_are_skipped_at_once(store):
    run = store.run("""
import os, socket
os.mkdir("/tmp/out")
os.mkfifo("/tmp/out/fifo")
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/out/socket")
open("/tmp/out/file", "w").write("x")
""", program="python3", collect=["/tmp/out/**", "/dev/**", "/proc/**", "/sys/**"])
    run.assert_ok()
    assert paths(run) == ["/tmp/out/file"]
    assert warned(run, "FIFOs, sockets, devices")
    assert run.seconds < 20


def test_a_file_of_exabytes_costs_nothing(store):
    run = store.run("""
import os
os.mkdir("out")
for name, size in (("huge", 8 << 40), ("large", 200 << 20)):
    fd = os.open("out/" + name, os.O_RDWR | os.O_CREAT)
    try: os.ftruncate(fd, size)
    except OSError: os.ftruncate(fd, 1 << 40)
open("out/small", "w").write("x")
""", program="python3")
    run.assert_ok()
    assert paths(run) == ["/workspace/out/small"] and warned(run, "2 files", "artifacts.max (50M)")
    assert run.seconds < 10 and sum(path.stat().st_size for path in store.objects()) == 1


def test_names_of_any_bytes_survive(store, tmp_path):
    run = store.run("""
import os
os.mkdir(b"out")
for name in (b"new\\nline", b"\\xff\\xfe", b"x" * 255, b"\\x1b[31mred", b"-rf", b"..x", b"a b'c", b"\\xe2\\x80\\xae"):
    open(b"out/" + name, "wb").write(name)
""", program="python3")
    run.assert_ok()
    assert len(paths(run)) == 8 and b"/workspace/out/\xff\xfe" in paths(run)
    listing = store.verb("ls").stdout
    assert b"\x1b" not in listing and b"\xff" not in listing and listing.count(b"\n") == 9
    store.good("get", run.result["id"], "-o", tmp_path / "o")
    for name in (b"new\nline", b"\xff\xfe", b"x" * 255, b"\x1b[31mred", b"-rf", b"..x"):
        assert open(os.fsencode(tmp_path / "o/workspace/out/") + b"/" + name, "rb").read() == name


def test_deep_folders_end_somewhere(store):
    run = store.run("""
import os
os.mkdir("/tmp/out"); os.chdir("/tmp/out")
for i in range(3000):
    if i in (10, 200): open("file", "w").write(str(i))
    os.mkdir("d" * 60); os.chdir("d" * 60)
open("file", "w").write("bottom")
""", program="python3", collect=["/tmp/out/**"])
    run.assert_ok()
    assert len(paths(run)) == 1 and warned(run, "longer than a program can name: 1")
    assert warned(run, "nested too deep")


def test_hard_links_and_copies_are_kept_once(store):
    run = store.run("mkdir out; echo same > out/a; ln out/a out/b; cp out/a out/c")
    assert len(paths(run)) == 3 and len(store.objects()) == 1


def test_many_names_are_bounded(store):
    run = store.run("mkdir out; cd out; seq 1 5000 | xargs touch")
    run.assert_ok()
    assert len(paths(run)) == 1000 and warned(run, "4000 files", "max_files")


def test_a_parser_that_is_fed_with_rubbish_harms_nothing(store):
    run = store.run("""
import os
os.mkdir("out")
heads = [b"\\x7fELF", b"PK\\x03\\x04", b"\\x89PNG\\r\\n\\x1a\\n", b"\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1", b"%PDF-", b"BZh9", b"\\x1f\\x8b\\x08", b"<svg", b"{", b"MZ"]
for i in range(100):
    open("out/%d" % i, "wb").write(heads[i % len(heads)] + os.urandom(20000 + i))
""", program="python3")
    run.assert_ok()
    assert len(paths(run)) == 100 and all("/" in one["media_type"] for one in run.result["artifacts"])


def parser_of(sbx):
    """The process that tells types (forked of sbx, in the same pid namespace, and with a filter), while it waits."""
    for child in children_of(sbx):
        try:
            status = dict(line.split(":\t", 1) for line in Path("/proc", child, "status").read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        if status.get("Seccomp") == "2" and len(status["NSpid"].split()) == 1 and status["State"].startswith("S"):
            return int(child)
    return None


def test_a_parser_that_neither_reads_nor_answers_is_given_up(store):
    """Stopped while sbx copies, which takes longer: the head of the next file does not fit into a socket that nobody reads."""
    script = "import os\nos.mkdir('out'); os.chdir('out'); open('f', 'w').write('words ' * 1500000)\n" \
             "for i in range(40): os.link('f', f'l{i}')\nprint('made', flush=True)"
    running = store.sbx.spawn(flags=["--workspace", ".:rw", "--collect", "/workspace/out/**", "--set", "artifacts.max=1G"],
                              cmd=["/usr/bin/python3", "-I", "-S", "-c", script])
    running.read_until(b"made")
    until = time.monotonic() + 20
    while (parser := parser_of(running.pid)) is None and time.monotonic() < until:
        time.sleep(0.001)
    os.kill(parser, signal.SIGSTOP)
    run = running.wait(timeout=60)
    run.assert_ok()
    types = [one["media_type"] for one in run.result["artifacts"]]
    assert len(types) == 41 and types.count("application/octet-stream") == 1 and set(types) == {"application/octet-stream", "text/plain"}


def test_a_file_that_grows_meanwhile_is_bounded(store):
    """The workspace is the host's too, and somebody there writes."""
    (store.sbx.cwd / "out").mkdir()
    grower = subprocess.Popen(["sh", "-c", "while :; do head -c 100000 /dev/zero; done > out/growing"], cwd=store.sbx.cwd)
    try:
        run = store.run("until [ -s out/growing ]; do sleep 0.01; done", "--set", "artifacts.max=2M", collect=["/workspace/out/**"])
    finally:
        grower.kill()
        grower.wait()
    run.assert_ok()
    assert sum(one["bytes"] for one in run.result["artifacts"]) <= 2 << 20
    (store.sbx.cwd / "out/growing").unlink()


def test_get_never_leaves_its_folder(store, tmp_path):
    run = store.run("mkdir -p out/a; echo new > out/a/file; echo new > out/other")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("old")
    to = tmp_path / "to"
    (to / "workspace/out").mkdir(parents=True)
    (to / "workspace/out/a").symlink_to(outside)
    done = store.verb("get", run.result["id"], "/workspace/out/a/file", "-o", to)
    assert done.returncode == 125 and b"symbolic link" in done.stderr
    assert (outside / "file").read_text() == "old" and os.listdir(outside) == ["file"]
    (to / "workspace/out/other").symlink_to(outside / "file")
    done = store.verb("get", run.result["id"], "/workspace/out/other", "-o", to)
    assert done.returncode == 125 and (outside / "file").read_text() == "old"
    assert (to / "workspace/out/other").is_symlink()
    (to / "workspace/out/a").unlink()  # the control
    store.good("get", run.result["id"], "/workspace/out/a/file", "-o", to)
    assert (to / "workspace/out/a/file").read_text() == "new\n"
