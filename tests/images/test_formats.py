"""root: {oci: ...}: every form of an image becomes the same root, once, and its defaults hold."""
import bz2
import gzip
import json
import lzma
import os
import resource
import subprocess

import pytest

from images.conftest import settle
from images.layouts import FORMS, Image, docker_files, hard_link, layout_files, link, member, tar, write_archive, write_folder

IS = ["/bin/probe", "file-holds"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pack", ["", "gzip", "zstd"])
def test_every_form_is_unpacked_and_run(images, form, pack):
    image = Image(images.base(member("etc/motd", "lower\n")), tar(member("etc/motd", "upper\n")), pack=pack)
    where = images.write(image, form)
    run = images.run(where, *IS, "/etc/motd", "upper")
    assert run.code == 42, run
    assert images.left_over() == [] and len(images.roots()) == 1


def test_what_one_file_unpacks_to_is_never_anothers(images):
    """Which image a file holds is found out by a process that the file may have taken over."""
    image = Image(images.base())
    for count, form in enumerate(FORMS, 1):
        images.run(images.write(image, form)).assert_ok()
        assert len(images.roots()) == count


def test_a_second_run_reads_nothing_of_the_image(images):
    where = settle(images.write(Image(images.base())))
    images.run(where).assert_ok()
    for blob in (where / "blobs" / "sha256").iterdir():
        blob.unlink()
    images.run(where).assert_ok()


def test_a_changed_image_is_unpacked_anew(images):
    where = settle(images.write(Image(images.base(member("etc/motd", "one")))))
    images.run(where).assert_ok()
    write_folder(where, Image(images.base(member("etc/motd", "two"))).files())
    run = images.run(where, *IS, "/etc/motd", "two")
    assert run.code == 42, run


def test_multi_member_gzip_and_long_names_and_sparse_files(images):
    long = "x" * 200 + "/" + "y" * 200 + "/z"
    layer = images.base(member(long, "deep"), member("caf\u00e9", "accent"))
    image = Image(layer)
    half = len(layer) // 2
    image.layers = [gzip.compress(layer[:half]) + gzip.compress(layer[half:])]
    image.suffix = "+gzip"
    root = images.unpack(image)
    assert (root / long).read_text() == "deep" and (root / "caf\u00e9").read_text() == "accent"
    sparse = images.folder / "sparse.tar"
    with open(images.folder / "holes", "wb") as file:
        file.seek(64 << 20)
        file.write(b"end")
    subprocess.run(["tar", "--sparse", "--format=gnu", "-C", images.folder, "-cf", sparse, "holes"], check=True)
    root = images.unpack(Image(images.base(), sparse.read_bytes()))
    holes = root / "holes"
    assert holes.stat().st_size == (64 << 20) + 3 and holes.stat().st_blocks < 1000
    assert holes.read_bytes() == bytes(64 << 20) + b"end"


def test_links_modes_times_and_owners(images):
    root = images.unpack(Image(images.base(
        member("usr/"), member("usr/tool", "#!/bin/probe", mode=0o4711, uid=7, gid=7), member("usr/secret", "s", mode=0),
        hard_link("usr/again", "usr/tool"), link("usr/sym", "tool"))))
    tool = (root / "usr" / "tool").stat()
    assert tool.st_ino == (root / "usr" / "again").stat().st_ino and os.readlink(root / "usr" / "sym") == "tool"
    assert (tool.st_mode & 0o7777, tool.st_uid, tool.st_mtime) == (0o755, os.geteuid(), 1_600_000_000)
    assert (root / "usr" / "secret").stat().st_mode & 0o7777 == 0o644


def test_docker_save_with_a_layer_that_is_a_link(images):
    image = Image(images.base(member("etc/motd", "linked")))
    files = docker_files(image)
    name = next(n for n in files if n.endswith("layer.tar"))
    files["other/layer.tar"] = files.pop(name)
    where = write_archive(images.place(), files, links=[(name, "../other/layer.tar")])
    assert images.run(where, *IS, "/etc/motd", "linked").code == 42


def test_refs_and_platforms(images):
    one, two = Image(images.base(member("etc/motd", "one")), ref="1.0"), Image(images.base(member("etc/motd", "two")), ref="2.0")
    where = write_folder(images.place(), layout_files(one, two))
    assert images.run(where, *IS, "/etc/motd", "two", ref=":2.0").code == 42
    images.run(where, ref=":3.0").assert_refused("3.0", "1.0", "2.0")
    images.run(where).assert_refused("several images", "1.0", "ref")
    archive = write_archive(images.place(), docker_files(one, two))
    assert images.run(archive, *IS, "/etc/motd", "one", ref=":1.0").code == 42
    assert images.run(archive, *IS, "/etc/motd", "one", flags=["--set", "root.ref=example/app:1.0"]).code == 42
    images.run(archive, ref=":4").assert_refused("no image", "example/app:2.0")
    other = Image(images.base(member("etc/motd", "arm")), architecture="arm64")
    where = write_folder(images.place(), layout_files(other, Image(images.base(member("etc/motd", "here"))), nested=True))
    assert images.run(where, *IS, "/etc/motd", "here").code == 42
    images.run(other).assert_refused("arm64", "amd64")


def test_the_defaults_of_the_image_and_who_overrides_them(images, is_root):
    config = {"Env": ["COLOUR=blue", "PATH=/opt:/bin", "broken", "=x"], "WorkingDir": "/job/here", "User": "web:staff",
              "Entrypoint": ["/bin/probe"], "Cmd": ["finds", "/job/here"]}
    image = Image(images.base(member("etc/passwd", "x\nroot:x:0:0::/:\nweb:x:77:78::/:/bin/sh\n"), member("etc/group", "staff:x:79:web\n")),
                  config=config)
    where = images.write(image)
    run = images.run(where, bare=True)
    assert run.code == 42 and run.result["argv"] == ["/bin/probe", "finds", "/job/here"], run
    assert run.result["isolation"]["user"] == "77:79"
    # The image has only just been written, and may change within the clock's tick.
    settle(where)
    images.run(where).assert_ok()
    plan = json.loads(images.sbx.call("explain", "--root", f"oci:{where}", "--json", *images.sbx.degraded).stdout)
    text = json.dumps(plan)
    assert "COLOUR=blue" in text and "PATH=/opt:/bin" in text and "/job/here" in text and "broken" not in text
    run = images.run(where, "probe", "finds", "/nothing", flags=["--user", "5:6", "--workdir", "/", "--env", "PATH=/bin"])
    assert run.code == 0 and run.result["isolation"]["user"] == "5:6" and run.result["argv"][0] == "probe", run
    why = images.sbx.call("explain", "--root", f"oci:{where}", "--why", "env:COLOUR", *images.sbx.degraded)
    assert "image" in why.out, why


def test_a_user_that_the_image_does_not_have(images):
    image = Image(images.base(), config={"User": "nobody-here"})
    where = images.write(image)
    images.run(where).assert_refused("nobody-here", "/etc/passwd", "user:")
    images.run(where, flags=["--user", "9:9"]).assert_ok()


def test_no_command_anywhere(images):
    images.run(Image(images.base()), bare=True).assert_refused("no command")


def test_the_hosts_names_are_the_sandboxs_own(images):
    image = Image(images.base(member("etc/hosts", "6.6.6.6 leak\n"), link("etc/resolv.conf", "/nowhere")))
    assert images.run(image, *IS, "/etc/hosts", "leak").code == 0
    assert images.run(image, *IS, "/etc/hosts", "localhost").code == 42
    assert images.run(image, *IS, "/etc/resolv.conf", "timeout").code == 42


def test_a_user_whom_the_image_does_not_know_has_a_line_there(images):
    image = Image(images.base(member("etc/passwd", "root:x:0:0::/:\n"), link("etc/group", "motd"), member("etc/motd", "own\n")))
    assert images.run(image, *IS, "/etc/passwd", "sandbox").code == 42
    assert images.run(image, *IS, "/etc/passwd", "root").code == 42
    assert images.run(image, *IS, "/etc/group", "sandbox").code == 0


def test_the_image_cannot_be_changed_from_inside(images):
    where = images.write(Image(images.base(member("srv/"))))
    for folder in ("/srv", "/etc", "/bin", "/"):
        assert images.run(where, "/bin/probe", "create-in", folder).code == 0
    assert os.listdir(images.roots()[0] / "srv") == []


def test_explain_and_check_unpack_nothing(images):
    where = images.write(Image(images.base()))
    for words in (["explain"], ["run", "--dry-run"]):
        done = images.sbx.call(*words, "--root", f"oci:{where}", *images.sbx.degraded, "--", "true")
        assert done.code == 0 and "not unpacked yet" in done.out, done
    asked = images.sbx.call("explain", "--root", f"oci:{where}", "--why", "env:COLOUR", *images.sbx.degraded)
    assert asked.code == 0 and "warning: the image is not unpacked yet" in asked.err, asked
    profile = images.sbx.profile({"version": 1, "root": {"oci": str(where), "ref": "latest", "max": "1G"}})
    assert images.sbx.call("check", profile).code == 0
    assert not images.store.exists()


def test_no_line_writes_to_the_unpacked_image(images):
    """All runs with it share it, and none looks again at what was verified."""
    where = images.write(Image(images.base(member("srv/"), member("srv/file", "x"))))
    settle(where)
    assert images.run(where, "/bin/probe", "finds", "/srv/file").code == 42  # which unpacks it
    words = [word for path in ("/srv", "/srv/file", "/srv/none") for word in ("--why", f"path:{path}")]
    run = images.sbx.call("explain", "--root", f"oci:{where}", "--json", *words, *images.sbx.degraded)
    folder, file, none = (json.loads(line) for line in run.out.splitlines())
    for answer in (folder, file, none):
        assert answer["allow_with"] is None and str(images.store) not in json.dumps(answer), answer
    assert folder["verdict"] == "partly" and "{tmpfs: /srv}" in folder["hint"] and "{file: /srv/file," in file["hint"]
    assert none["verdict"] == "denied" and "not in the image" in none["text"], none
    images.run(where, "/bin/probe", "create-in", "/srv", flags=["--tmpfs", "/srv"]).assert_nonzero(42)


def test_what_is_no_image_is_said(images):
    for content in (b"", b"no archive at all" * 99, tar(member("x", "y"))):
        place = images.place()
        place.write_bytes(content)
        images.run(place).assert_refused("image")
    empty = images.place()
    empty.mkdir()
    run = images.run(empty)
    run.assert_refused("cannot open the image", "without index.json")
    assert "ENOENT" not in run.err
    images.run("/nonexistent").assert_refused("cannot open the image", "ENOENT")
    os.mkfifo(images.folder / "pipe")
    images.run(images.folder / "pipe").assert_refused("cannot open the image")
    assert images.left_over() == []


@pytest.mark.parametrize("tool, compress", [("xz", lzma.compress), ("bzip2", bz2.compress)])
def test_a_compression_that_is_not_read_is_named(images, tool, compress):
    place = images.place()
    place.write_bytes(compress(tar(member("x", "y"))))
    images.run(place).assert_refused("no tar archive", "gzip or zstd", f"{tool} -d")


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_limit_on_the_size_of_files_is_named(images, form):
    """Of the caller's, which the process that unpacks has, too."""
    image = images.write(Image(images.base(member("big", b"x" * (9 << 20)))), form)
    words = [images.sbx.binary, "run", *images.sbx.degraded, "--root", f"oci:{image}", "--", "/bin/probe", "finds", "/nothing"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=images.sbx.cwd,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, 8 << 20)))
    assert done.returncode == 125 and "EFBIG" in done.stderr and "ulimit -f" in done.stderr, done
    assert images.left_over() == []


@pytest.mark.parametrize("damage", ["cut", "gone", "no root"])
def test_an_unpacked_image_that_is_damaged_says_how_to_get_it_again(images, damage):
    where = settle(images.write(Image(images.base())))
    images.run(where).assert_ok()
    [root] = images.roots()
    if damage == "no root":
        root.rename(root.parent / "moved")
    elif damage == "gone":
        (root.parent / "image.json").unlink()
    else:
        os.truncate(root.parent / "image.json", 20)
    images.run(where).assert_refused(f"rm -r {root.parent}")
    subprocess.run(["rm", "-r", root.parent], check=True)
    images.run(where).assert_ok()


@pytest.mark.parametrize("folder, made, error", [
    ("/file", [member("file", "x")], "ENOTDIR"), ("/file/below", [member("file", "x")], "ENOTDIR"),
    ("/link", [member("link", type=b"2", linkname="/nowhere")], "ENOENT"), ("/link/below", [member("link", type=b"2", linkname="/nowhere")], "ENOENT"),
    ("/to-file", [member("file", "x"), member("to-file", type=b"2", linkname="file")], "ENOTDIR"),
    ("/loop", [member("loop", type=b"2", linkname="loop")], "ELOOP")])
def test_a_folder_to_start_in_that_is_none_is_named_and_can_be_another(images, folder, made, error):
    where = settle(images.write(Image(images.base(*made), config={"WorkingDir": folder})))
    run = images.run(where).assert_refused("--root: step ", f"change to {folder}", f"({error})", f"workdir {folder}", "--workdir")
    assert "of the image:" not in run.err
    images.run(where, flags=["--workdir", "/"]).assert_ok()
    explained = images.sbx.call("explain", "--root", f"oci:{where}", *images.sbx.degraded, "--", "/bin/probe")
    assert "the image's WorkingDir" in explained.out, explained


def test_a_folder_to_start_in_above_the_root_is_the_root_as_for_everybody(images):
    run = images.run(Image(images.base(), config={"WorkingDir": "/a/../../../b"}), "/bin/probe", "finds", "/b")
    assert run.code == 42, run
