"""A cache folder of the test's own, and images run from it."""
import os
import time
from pathlib import Path

import pytest

from images.layouts import FORMS, Image, member, tar


class Images:
    """`sbx run --root oci:...`; what the store has afterwards."""

    def __init__(self, sbx, probe, cache, folder):
        self.sbx, self.probe, self.cache, self.folder = sbx, probe, cache, folder
        self.store = cache / "sbx" / "images"
        self._count = 0

    def base(self, *members, **fields):
        """The layer that every image starts with: the probe, and a root that it can stand in."""
        return tar(member("bin/probe", Path(self.probe.host_path).read_bytes(), mode=0o755), *members, **fields)

    def place(self):
        self._count += 1
        return self.folder / f"image-{self._count}"

    def write(self, image, form="layout"):
        return FORMS[form](self.place(), image)

    def run(self, where, *words, flags=(), ref="", bare=False, **options):
        """Runs the image at `where` (or the Image); without words the probe, doing nothing."""
        if isinstance(where, Image):
            where = self.write(where)
        words = words or ([] if bare else ["/bin/probe", "finds", "/nothing"])
        return self.sbx.run(flags=["--root", f"oci:{where}{ref}", *flags], cmd=words, **options)

    def roots(self):
        """The unpacked roots."""
        return [folder / "rootfs" for folder in sorted(self.store.glob("*")) if not folder.name.startswith((".", "at-")) and (folder / "rootfs").is_dir()]

    def unpack(self, image, **options):
        """The root that an image becomes."""
        before = set(self.roots())
        run = self.run(image, **options)
        new = [root for root in self.roots() if root not in before]
        assert len(new) == 1, run
        return new[0]

    def tree(self, root):
        """{path: content or link}, without the probe and what every image gets."""
        found = {}
        for folder, folders, files in os.walk(root):
            for name in folders + files:
                path = Path(folder, name)
                key = str(path.relative_to(root))
                if path.is_symlink():
                    found[key] = "-> " + os.readlink(path)
                elif path.is_dir():
                    found[key + "/"] = None
                else:
                    found[key] = path.read_bytes()
        for name in ("bin/", "bin/probe", "etc/", "etc/hostname", "etc/hosts", "etc/resolv.conf"):
            found.pop(name, None)
        return found

    def left_over(self):
        return [path.name for path in self.store.glob(".*")]


@pytest.fixture
def images(sbx, probe, tmp_path, monkeypatch, open_folder):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Images(sbx, probe, tmp_path / "cache", tmp_path)


def settle(path):
    """What has just been written may change again within the clock's tick, and is looked at again."""
    target = path / "index.json" if path.is_dir() else path
    while os.stat(target).st_ctime + 3.1 > time.time():
        time.sleep(0.1)
    return path
