"""Images made to hurt: to write outside of their root, to fill the disk, to be something else than they say."""
import json
import os
import subprocess
import tarfile

import pytest

from images.layouts import Image, bomb, digest, docker_files, hard_link, link, member, tar, write_archive, write_folder

# name: members, with {out} a folder outside that everybody may write to
ESCAPES = {
    "upwards": lambda out: [member(f"{'../' * 40}{out}/hit", "x")],
    "upwards in the middle": lambda out: [member(f"a/{'../' * 40}{out}/hit", "x")],
    "through a link": lambda out: [link("a", out), member("a/hit", "x")],
    "through a relative link": lambda out: [link("a", "../" * 40 + out.lstrip("/")), member("a/hit", "x")],
    "through two links": lambda out: [link("a", "/"), link("b", "a" + out), member("b/hit", "x")],
    "onto a link": lambda out: [link("a", f"{out}/hit"), member("a", "x")],
    "a folder onto a link": lambda out: [link("a", out), member("a/"), member("a/hit", "x")],
    "a hard link to what is outside": lambda out: [hard_link("a", f"{out}/bait"), member("a", "hit")],
    "a hard link through a link": lambda out: [link("a", out), hard_link("b", "a/bait"), member("b", "hit")],
    "absolute": lambda out: [member(f"{out}/hit", "x")],
    "a whiteout through a link": lambda out: [link("a", out), member("a/.wh.bait", "")],
    "an opaque folder through a link": lambda out: [link("a", out), member("a/.wh..wh..opq", "")],
    "a whiteout upwards": lambda out: [link("a", out), member("a/.wh...", "")],
}


def outside_of(folder):
    out = folder / "outside"
    out.mkdir()
    out.chmod(0o777)
    (out / "bait").write_text("bait")
    (out / "bait").chmod(0o666)
    return out


def naive(layers, root):
    """How not to do it: by name, as tarfile did before it had filters, and as shell scripts do."""
    for layer in layers:
        path = root.parent / "layer.tar"
        path.write_bytes(layer)
        with tarfile.open(path) as archive:
            for info in archive:
                name = os.path.basename(info.name)
                place = os.path.join(root, os.path.dirname(info.name))
                try:
                    if name == ".wh..wh..opq":
                        for found in os.listdir(place):
                            os.unlink(os.path.join(place, found))
                    elif name.startswith(".wh."):
                        os.unlink(os.path.join(place, name[4:]))
                    elif info.islnk():
                        os.link(os.path.join(root, info.linkname), os.path.join(root, info.name))
                    elif info.isreg():
                        os.makedirs(place, exist_ok=True)
                        with open(os.path.join(root, info.name), "wb") as file:
                            file.write(archive.extractfile(info).read())
                    else:
                        archive.extract(info, root, filter="fully_trusted") if hasattr(tarfile, "data_filter") \
                            else archive.extract(info, root)
                except OSError:
                    pass


def touched(out):
    return not (out / "bait").exists() or (out / "bait").read_text() != "bait" or os.listdir(out) != ["bait"]


# A path that is absolute, and one that would have to remove "..", hurt only who joins names as Python does not.
HARMLESS = {"a whiteout upwards", "a hard link to what is outside"}


@pytest.mark.parametrize("split", [False, True], ids=["one layer", "two layers"])
@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_outside_of_the_root_is_touched(images, name, split):
    out = outside_of(images.folder)
    members = ESCAPES[name](str(out))
    layers = [images.base(*members[:-1]), tar(members[-1])] if split else [images.base(*members)]
    run = images.run(Image(*layers))
    assert not touched(out), run
    assert run.code in (0, 125) and images.left_over() == [], run
    if name.startswith("upwards"):
        run.assert_refused("leads upwards")
    # The control: the same layers, taken by name.
    root = images.folder / "naive"
    root.mkdir()
    naive(layers, root)
    assert touched(out) or name in HARMLESS


def test_links_lead_within_the_root(images):
    """What a lower layer has linked is where an upper layer's files go, as in container engines."""
    root = images.unpack(Image(images.base(member("usr/lib/"), link("lib", "usr/lib"), link("abs", "/usr")),
                               tar(member("lib/one", "1"), member("abs/two", "2"))))
    assert (root / "usr/lib/one").read_text() == "1" and (root / "usr/two").read_text() == "2"
    assert (root / "lib").is_symlink()


def test_a_folder_on_what_the_image_has_of_another_kind_says_so(images):
    where = images.write(Image(images.base(member("d/file", "x"), link("d/link", "/etc"))))
    for name in ("file", "link"):
        images.run(where, flags=["--ro", f"{images.folder}:/d/{name}"]).assert_refused(f"at /d/{name}", "of its kind")


# ---- digests

BROKEN = {
    "manifest": lambda image: digest(image.manifest()),
    "configuration": lambda image: digest(image.config),
    "layer": lambda image: digest(image.layers[0]),
}


@pytest.mark.parametrize("form", ["layout", "layout archive"])
@pytest.mark.parametrize("what", BROKEN)
def test_a_changed_blob_is_found(images, what, form):
    image = Image(images.base(member("pad", b"\0" * 4096)))
    files = image.files()
    name = f"blobs/sha256/{BROKEN[what](image)}"
    # As long as before, and still JSON or an archive.
    changed = files[name].replace(b'"os": "linux"', b'"os": "linuy"').replace(b"schemaVersion", b"schemaVersiom")
    files[name] = changed if changed != files[name] else files[name][:-2048] + b"\1" + files[name][-2047:]
    write = write_folder if form == "layout" else write_archive
    images.run(write(images.place(), files)).assert_refused("digest", what)
    assert images.roots() == [] and images.left_over() == []


def test_a_layer_that_is_not_what_the_configuration_says(images):
    image = Image(images.base(), diff_ids=["sha256:" + "0" * 64], pack="gzip")
    for form in ("layout", "docker save"):
        images.run(images.write(image, form)).assert_refused("digest", "layer")
    image = Image(images.base(), diff_ids=[])
    images.run(image)
    files = docker_files(Image(images.base()))
    config = next(name for name in files if name.endswith(".json") and name != "manifest.json")
    files[config] = files[config].replace(b"linux", b"Linux")
    images.run(write_archive(images.place(), files)).assert_refused("digest", "configuration")
    assert images.roots()[1:] == []


def test_a_missing_or_cut_blob(images):
    image = Image(images.base())
    where = images.write(image)
    layer = where / "blobs/sha256" / digest(image.layers[0])
    layer.write_bytes(layer.read_bytes()[:-700])
    images.run(where).assert_refused("layer", "digest")
    layer.unlink()
    images.run(where).assert_refused("lacks", "ENOENT")
    os.symlink("/etc/passwd", layer)
    images.run(where).assert_refused("lacks")
    layer.unlink()
    os.mkfifo(layer)
    images.run(where).assert_refused("lacks")


# ---- limits

def test_bombs_end_within_their_limit(images):
    data, unpacked = bomb(4 << 30)
    assert len(data) < 8 << 20
    image = Image(images.base(), diff_ids=[f"sha256:{digest(images.base())}", f"sha256:{unpacked}"])
    image.layers.append(data)
    run = images.run(image, flags=["--set", "root.max=64M"])
    run.assert_refused("`max` of `root`")
    assert images.left_over() == [] and images.roots() == []
    sparse = images.folder / "sparse.tar"
    with open(images.folder / "huge", "wb") as file:
        file.truncate(1 << 43)
    subprocess.run(["tar", "--sparse", "--format=gnu", "-C", images.folder, "-cf", sparse, "huge"], check=True)
    images.run(Image(images.base(), sparse.read_bytes())).assert_refused("`max` of `root`")


def test_too_deep_too_long_too_many(images):
    images.run(Image(images.base(member("/".join(["d"] * 200), "x")))).assert_refused("too deep")
    images.run(Image(images.base(member("n" * 256, "x")))).assert_refused("too long")
    images.run(Image(images.base(), *[tar()] * 130)).assert_refused("too many layers")
    where = images.write(Image(images.base()))
    (where / "index.json").write_text("[" * 100_000)
    images.run(where).assert_refused("too deep")
    (where / "index.json").write_text('{"manifests": [], "x": "' + "x" * (5 << 20) + '"}')
    images.run(where).assert_refused("too large")
    for wrong in ("", "{}", "[]", '{"manifests": 1}', '{"manifests": [{"digest": "sha256:../../x", "size": 1}]}',
                  '{"manifests": [{"digest": "sha512:00", "size": -1}]}', "\xff"):
        (where / "index.json").write_bytes(wrong.encode("latin-1"))
        images.run(where).assert_refused("index")


def test_what_is_wrong_is_told_whatever_the_bytes_and_however_many(images):
    """What unpacks tells it over a channel that takes so much at a time."""
    def of_type(media_type):
        image = Image(images.base())
        manifest = json.loads(image.manifest())
        manifest["layers"][0]["mediaType"] = media_type
        text = json.dumps(manifest).encode()
        entry = Image.descriptor(text, "application/vnd.oci.image.manifest.v1+json")
        files = {**image.files(), f"blobs/sha256/{digest(text)}": text, "index.json": json.dumps({"manifests": [entry]}).encode()}
        return write_folder(images.place(), files)

    images.run(of_type("x" * 10_000)).assert_refused("layer of the type xxx", "tar archives")
    images.run(of_type("\x1b" * 10_000)).assert_refused("layer of the type", "tar archives")
    images.run(of_type("a\n\"'\t\x1b")).assert_refused("of the type $'a\\n\"\\'\\t\\x1b', which sbx does not know")
    images.run(Image(images.base(member("a\\b/../c", "")))).assert_refused("an entry 'a\\b/../c', which leads upwards")
    assert images.left_over() == [] and images.roots() == []


def test_devices_and_fifos_are_left_out_and_told(images):
    run = images.run(Image(images.base(member("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
                                       member("disk", type=tarfile.BLKTYPE, devmajor=8), member("pipe", type=tarfile.FIFOTYPE))))
    assert run.code == 0 and any("3 device nodes" in w for w in run.result["warnings"]), run
    assert images.tree(images.roots()[0]) == {}


def test_attributes_are_dropped(images):
    root = images.unpack(Image(images.base(member("f", "x", pax_headers={
        "SCHILY.xattr.user.note": "n", "SCHILY.xattr.security.capability": "\1\0\0\2"}))))
    assert os.listxattr(root / "f") == []


def test_a_store_that_is_not_ours_alone_is_refused(images):
    images.store.mkdir(parents=True)
    images.store.chmod(0o777)
    images.run(Image(images.base())).assert_refused("closed to others")


@pytest.mark.parametrize("count", [2_990, 9_000])
def test_more_at_the_top_than_a_root_can_show(images, count):
    """Each is a mount of its own."""
    where = images.write(Image(images.base(*[member(f"f{i}", "") for i in range(count)])))
    if count > 3_000:
        images.run(where).assert_refused("more than 3000 entries at its top", "into folders", "--root")
        assert images.left_over() == []
    else:
        images.run(where).assert_ok()


FULL = {  # what the disk has room for, and what it has not
    "a file": ("layout", "size=1M", "cannot write bin/probe"),
    "another name": ("layout", "nr_inodes=6", "cannot make the file bin/probe"),
    "a folder for all": ("layout", "nr_inodes=4", "cannot make a folder for the image"),
    "an archive that is compressed": ("layout archive, gzip", "size=1M", "cannot unpack the image"),
}


@pytest.mark.parametrize("name", FULL)
def test_a_full_disk_is_told_and_nothing_stays(images, name):
    """A disk of its own, which is seen by nobody else."""
    form, options, message = FULL[name]
    where = images.write(Image(images.base()), form)
    images.cache.mkdir()
    script = 'mount -t tmpfs -o "$1,mode=0700" none "$2"; "$3" run --root "oci:$4" -- /bin/probe finds /nothing; code=$?; ls -A "$2/sbx/images"; exit $code'
    done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", options, images.cache, images.sbx.binary, where],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 125 and done.stdout == "" and message in done.stderr and "make room" in done.stderr, done
