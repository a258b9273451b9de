"""What packaging/install puts into a prefix, however that is written, it takes away again; its AppArmor profile, too."""
import hashlib
import subprocess
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
# A host with AppArmor 4, and a place that is root's, of this process alone.
HOST = """set -e
mount -t tmpfs -o mode=755 none /etc && mkdir -p /etc/apparmor.d/abi && : >/etc/apparmor.d/abi/4.0
mount -t tmpfs -o mode=755 none /opt
"""


@pytest.fixture
def folder(tmp_path):
    """An unpacked release, as far as the script looks at it."""
    files = {"install": (PACKAGING / "install").read_bytes(), "bin/sbx": b"#!/bin/sh\n", "share/doc/sbx/README.md": b"read\n",
             "etc/apparmor.d/sbx": (PACKAGING / "apparmor" / "sbx").read_bytes()}
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if name in ("install", "bin/sbx") else 0o644)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    (tmp_path / "SHA256SUMS").write_text(sums)
    return tmp_path


def said(folder, script):
    return subprocess.run(["unshare", "--mount", "sh", "-c", HOST + script], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)


@pytest.mark.needs("root")
@pytest.mark.parametrize("written", ["/opt/own", "/opt/own/", "//opt//own//"])
def test_a_prefix_is_one_place_however_it_is_written(folder, written):
    for there, gone in ((written, "/opt/own"), ("/opt/own", written)):
        done = said(folder, f"./install {there} && sed -n 's/^profile //p' /etc/apparmor.d/sbx* && test -x /opt/own/bin/sbx\n"
                            f"./install --remove {gone} && find /etc/apparmor.d /opt ! -type d")
        assert done.returncode == 0, done.stdout
        assert done.stdout.splitlines() == ["installed into /opt/own; now try: /opt/own/bin/sbx doctor",
                                            'sbx.opt.own "/opt/own/bin/sbx" flags=(unconfined) {',
                                            "removed from /opt/own", "/etc/apparmor.d/abi/4.0"]


@pytest.mark.needs("root")
@pytest.mark.parametrize("prefix", ["/opt/x/../own", "/opt/./own", "/opt/own/..", "/.", "opt", "/opt/o n"])
def test_a_prefix_that_is_refused_gets_nothing(folder, prefix):
    done = said(folder, f"./install '{prefix}' || code=$?\nfind /etc/apparmor.d /opt ! -type d; exit $code")
    assert done.returncode == 2 and "PREFIX" in done.stdout, done.stdout
    assert done.stdout.splitlines()[1:] == ["/etc/apparmor.d/abi/4.0"]
