"""Images made by hand, in every form that sbx takes: what no engine would write as well."""
import gzip
import hashlib
import io
import json
import tarfile
import zlib
from pathlib import Path


def digest(data):
    return hashlib.sha256(data).hexdigest()


def member(name, content=None, **fields):
    """(TarInfo, bytes): a file with `content`; a folder when the name ends with '/'; `type`, `linkname`, `mode`
    as tarfile has them."""
    info = tarfile.TarInfo(name)
    info.mtime = 1_600_000_000
    if name.endswith("/"):
        info.type, info.mode = tarfile.DIRTYPE, 0o755
    data = content.encode() if isinstance(content, str) else content or b""
    for key, value in fields.items():
        setattr(info, key, value)
    if "size" not in fields:
        info.size = len(data)
    return info, data


def link(name, target):
    return member(name, type=tarfile.SYMTYPE, linkname=target)


def hard_link(name, target):
    return member(name, type=tarfile.LNKTYPE, linkname=target)


def tar(*members, format=tarfile.PAX_FORMAT):
    """The bytes of an archive; names stay as they are given, which tarfile's own reader would not let through."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=format) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return file.getvalue()


def zstd(data):
    """A frame of blocks that are not compressed (RFC 8878): Python has no zstd, and readers do not mind."""
    blocks = [data[i:i + 65536] for i in range(0, len(data), 65536)] or [b""]
    out = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x48"  # no checksum, window of 512 KiB
    for i, block in enumerate(blocks):
        out += (len(block) << 3 | (i == len(blocks) - 1)).to_bytes(3, "little") + block
    return out


PACK = {"": lambda data: data, "gzip": lambda data: gzip.compress(data, mtime=0), "zstd": zstd}


class Image:
    """Layers (bytes of tar archives, the lowest first) and a configuration."""

    def __init__(self, *layers, config=None, pack="", architecture="amd64", ref="latest", diff_ids=None):
        self.layers = [PACK[pack](layer) for layer in layers]
        self.suffix = f"+{pack}" if pack else ""
        self.ref = ref
        self.architecture = architecture
        self.config = json.dumps({
            "architecture": architecture, "os": "linux", "config": config or {},
            "rootfs": {"type": "layers", "diff_ids": diff_ids or [f"sha256:{digest(layer)}" for layer in layers]},
        }).encode()

    def manifest(self):
        kind = "application/vnd.oci.image."
        return json.dumps({
            "schemaVersion": 2, "mediaType": kind + "manifest.v1+json",
            "config": self.descriptor(self.config, kind + "config.v1+json"),
            "layers": [self.descriptor(layer, kind + "layer.v1.tar" + self.suffix) for layer in self.layers],
        }).encode()

    @staticmethod
    def descriptor(data, kind, **more):
        return {"mediaType": kind, "digest": f"sha256:{digest(data)}", "size": len(data), **more}

    def files(self):
        """{name: bytes} of an OCI layout."""
        return layout_files(self)


def layout_files(*images, nested=False):
    """The layout of several images; `nested`: as one, of several platforms."""
    kind = "application/vnd.oci.image."
    files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}
    manifests = []
    for image in images:
        for blob in (image.config, image.manifest(), *image.layers):
            files[f"blobs/sha256/{digest(blob)}"] = blob
        more = {"platform": {"architecture": image.architecture, "os": "linux"}} if nested else {}
        if image.ref and not nested:
            more["annotations"] = {"org.opencontainers.image.ref.name": image.ref}
        manifests.append(Image.descriptor(image.manifest(), kind + "manifest.v1+json", **more))
    if nested:
        index = json.dumps({"schemaVersion": 2, "manifests": manifests}).encode()
        files[f"blobs/sha256/{digest(index)}"] = index
        manifests = [Image.descriptor(index, kind + "index.v1+json",
                                      annotations={"org.opencontainers.image.ref.name": images[0].ref})]
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": manifests}).encode()
    return files


def docker_files(*images, shared=None):
    """What `docker save` wrote before version 25: a folder a layer. `shared`: a layer that is a link to another."""
    files, entries = {}, []
    for image in images:
        names = []
        for layer in image.layers:
            names.append(f"{digest(layer)[::-1]}/layer.tar")
            files[names[-1]] = layer
        config = f"{digest(image.config)}.json"
        files[config] = image.config
        entries.append({"Config": config, "RepoTags": [f"example/app:{image.ref}"] if image.ref else None,
                        "Layers": names})
    files["manifest.json"] = json.dumps(entries).encode()
    return files


def write_folder(folder, files):
    for name, data in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Path(folder)


def write_archive(path, files, links=(), pack=""):
    data = tar(*[member(name, content) for name, content in files.items()], *[link(*pair) for pair in links])
    Path(path).write_bytes(PACK[pack](data))
    return Path(path)


FORMS = {
    "layout": lambda place, image: write_folder(place, image.files()),
    "layout archive": lambda place, image: write_archive(place, image.files()),
    "layout archive, gzip": lambda place, image: write_archive(place, image.files(), pack="gzip"),
    "docker save": lambda place, image: write_archive(place, docker_files(image)),
    "docker save 25": lambda place, image: write_archive(place, {**image.files(), "manifest.json": b"[]"}),
}


def bomb(size):
    """A gzip stream of a tar archive with one file of `size` zeros, never held in memory."""
    info, _ = member("zeros", b"", size=size)
    head = info.tobuf(tarfile.PAX_FORMAT)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    sums = hashlib.sha256()
    out = []
    rest = size + -size % 512 + 1024
    for piece in (head, *([bytes(1 << 20)] * (rest >> 20)), bytes(rest & ((1 << 20) - 1))):
        sums.update(piece)
        out.append(packer.compress(piece))
    return b"".join(out) + packer.flush(), sums.hexdigest()
