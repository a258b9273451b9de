#!/usr/bin/env python3
"""The host side of the test internet: started by world.py in a network and a mount namespace of its own, in
which sbx will run. Joins it to the internet (internet.py, below it in namespaces of its own), prints
`ready` when every service answers, and ends with its stdin; what it has made ends with it.

    holder.py FOLDER IMAGE UID
"""
import ctypes
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PR_SET_PDEATHSIG = 1
LINKS = """
link set lo up
link add up0 type veth peer name inet0 netns {peer}
link add lan0 type veth peer name site0 netns {peer}
addr add 11.22.33.2/24 dev up0
addr add 2a00:1122:33::2/64 dev up0 nodad
addr add 10.20.0.2/24 dev lan0
addr add fd00:20::2/64 dev lan0 nodad
link set up0 up
link set lan0 up
route add default via 11.22.33.1
route add default via 2a00:1122:33::1
"""


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def expect(process, word):
    line = process.stdout.readline().decode().strip()
    if line != word:
        raise SystemExit(f"holder.py: {process.args}: expected {word!r}, got {line!r}")


def start(arguments, **options):
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=die_with_parent,
                            **options)


def main(folder, image, uid):
    die_with_parent()
    for name in ("resolv.conf", "hosts"):
        subprocess.run(["mount", "--bind", f"{folder}/{name}", f"/etc/{name}"], check=True)
    # Without this the kernel asks for a second whether a link-local address is taken.
    Path("/proc/sys/net/ipv6/conf/default/accept_dad").write_text("0")
    internet = start(["unshare", "--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
                      "--mount-proc", sys.executable, "-B", HERE / "internet.py", folder, image, uid])
    expect(internet, "up")
    batch = LINKS.format(peer=internet.pid).encode()
    subprocess.run(["ip", "-batch", "-"], input=batch, check=True)
    services = start([sys.executable, "-B", HERE / "services.py", "host", folder])
    internet.stdin.write(b"go\n")
    internet.stdin.flush()
    expect(services, "ready")
    expect(internet, "ready")
    print("ready", flush=True)
    sys.stdin.read()
    for process in (services, internet):
        process.kill()
        process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
