#!/usr/bin/env python3
"""The internet: in namespaces of its own, of which it is pid 1, it has the addresses and runs the services.
Those from Debian run in IMAGE (scripts/setup test), which is changed by mounts of this namespace alone, as
an ordinary user; FOLDER is their /srv. Says `up`, waits for `go` (the links are there), says `ready`.

    internet.py FOLDER IMAGE UID
"""
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 60
ADDRESSES = """
link set lo up
addr add 169.254.169.254/32 dev lo
addr add 11.22.33.1/24 dev inet0
addr add 11.22.33.10/24 dev inet0
addr add 11.22.33.20/24 dev inet0
addr add 11.22.33.30/24 dev inet0
addr add 2a00:1122:33::1/64 dev inet0 nodad
addr add 2a00:1122:33::10/64 dev inet0 nodad
addr add 2a00:1122:33::20/64 dev inet0 nodad
addr add 10.20.0.5/24 dev site0
addr add fd00:20::5/64 dev site0 nodad
link set inet0 up
link set site0 up
route add local 11.22.33.128/25 dev lo
route add local 64:ff9b::/96 dev lo
"""
SQL = "/usr/lib/postgresql/15/bin"
# Service: its command line in the image, and a port on which it answers when it is ready.
SERVICES = {
    "dns": (["/usr/sbin/dnsmasq", "--keep-in-foreground", "--conf-file=/srv/dnsmasq.conf"], 53),
    "web": (["/usr/sbin/nginx", "-e", "stderr", "-p", "/srv", "-c", "/srv/nginx.conf"], 443),
    "ssh": (["/usr/sbin/sshd", "-D", "-e", "-f", "/srv/sshd_config"], 22),
    "sql": (["/bin/sh", "-ec", f"{SQL}/initdb -D /srv/pg -A trust -U guest -E UTF8 --locale=C --no-sync >/srv/log/initdb\n"
             f"echo 'host all all all trust' >>/srv/pg/pg_hba.conf\nexec {SQL}/postgres -D /srv/pg"
             " -c listen_addresses='*' -c unix_socket_directories= -c fsync=off -c autovacuum=off -c jit=off"
             " -c dynamic_shared_memory_type=mmap -c max_wal_senders=0 -c wal_level=minimal"], 5432),
}


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def furnish(folder, image, uid):
    """What the services look for, by mounts over the image."""
    for name in ("etc", "run", "tmp", "srv", "dev", "proc"):
        (image / name).mkdir(exist_ok=True) if os.access(image, os.W_OK) else None
    for name in ("etc", "run", "tmp"):
        run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", image / name)
    run("mount", "--rbind", "/dev", image / "dev")
    run("mount", "--rbind", "/proc", image / "proc")
    run("mount", "--bind", folder, image / "srv")
    (image / "etc/passwd").write_text(f"guest:x:{uid}:{uid}::/srv:/bin/sh\nroot:x:0:0::/:/bin/sh\n")
    (image / "etc/group").write_text(f"guest:x:{uid}:\n")


def start(name, folder, image, uid):
    command, _ = SERVICES[name]
    who = [f"--userspec={uid}:{uid}", "--groups="] if os.geteuid() == 0 else []
    with open(folder / "log" / name, "wb") as log:
        return subprocess.Popen(["chroot", *who, image, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def answers(name, port):
    host = "11.22.33.10"
    try:
        with socket.create_connection((host, port), 1) as peer:
            if name == "sql":  # it listens before it has a database: a startup message, and Authentication back
                text = b"\0\3\0\0user\0guest\0database\0postgres\0\0"
                peer.sendall((len(text) + 4).to_bytes(4, "big") + text)
                return peer.recv(1) == b"R"
            return True
    except OSError:
        return False


def wait(processes, folder):
    deadline = time.monotonic() + SECONDS
    waiting = dict(processes)
    while waiting:
        for name, process in list(waiting.items()):
            if answers(name, SERVICES[name][1]):
                del waiting[name]
            elif process.poll() is not None or time.monotonic() > deadline:
                log = (folder / "log" / name).read_text(errors="replace")
                raise SystemExit(f"internet.py: {name} does not answer (exit code {process.poll()}):\n{log[-2000:]}")
        time.sleep(0.01)


def main(folder, image, uid):
    folder, image = Path(folder), Path(image)
    print("up", flush=True)
    if sys.stdin.readline() != "go\n":
        return
    Path("/proc/sys/net/ipv6/conf/default/accept_dad").write_text("0")
    Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").write_text("0")
    run("ip", "-batch", "-", input=ADDRESSES.encode())
    furnish(folder, image, uid)
    own = subprocess.Popen([sys.executable, "-B", HERE / "services.py", "internet", folder], stdout=subprocess.PIPE)
    wait({name: start(name, folder, image, uid) for name in SERVICES}, folder)
    if own.stdout.readline() != b"ready\n":
        raise SystemExit("internet.py: services.py does not answer")
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
