"""A build for a machine whose system calls sbx does not know would be a sandbox that kills everything."""
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINE = """[binaries]
c = 'gcc'
cpp = 'g++'
[host_machine]
system = '{}'
cpu_family = '{}'
cpu = '{}'
endian = 'little'
"""


def test_it_is_built_for_linux_on_two_machines_alone(tmp_path):
    for system, cpu in (("linux", "arm"), ("linux", "x86"), ("freebsd", "x86_64")):
        (tmp_path / "machine").write_text(MACHINE.format(system, cpu, cpu))
        run = subprocess.run(["meson", "setup", "--cross-file", tmp_path / "machine", tmp_path / "build", ROOT],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert run.returncode != 0 and "sbx is for Linux on x86-64 and arm64" in run.stdout, run
