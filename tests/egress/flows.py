#!/usr/bin/env python3
"""Streams, many connections and floods: flows.py VERB [WORD...], run inside as inside.py is."""
import hashlib
import os
import select
import socket
import struct
import sys
import time

from inside import main, timed

BLOCK = os.urandom(1 << 20)


def upload(host, port, megabytes):
    """Sends, ends its half, and returns what the other side says that it got."""
    digest = hashlib.sha256()
    with socket.create_connection((host, int(port)), 20) as peer:
        for _ in range(int(megabytes)):
            peer.sendall(BLOCK)
            digest.update(BLOCK)
        peer.shutdown(socket.SHUT_WR)
        return {"sent": f"{int(megabytes) << 20} {digest.hexdigest()}", "answer": peer.makefile().readline().strip()}


def download(host, port, size, pause="0"):
    """Asks for `size` bytes and reads to the end; with a pause, after waiting so long with a full window."""
    digest, got = hashlib.sha256(), 0
    start = time.monotonic()
    with socket.create_connection((host, int(port)), 20) as peer:
        peer.sendall(f"{size}\n".encode())
        time.sleep(float(pause))
        why = None
        try:
            while data := peer.recv(1 << 20):
                got += len(data)
                digest.update(data)
        except OSError as error:
            why = str(error)
    block = bytes(range(256)) * 1024
    whole = block * (int(size) // len(block)) + block[:int(size) % len(block)]
    return {"got": got, "intact": digest.digest() == hashlib.sha256(whole).digest(), "why": why,
            "seconds": time.monotonic() - start}


def urgent(host, port, before, after):
    """Sends an urgent byte between others; what the other side says that it got."""
    with socket.create_connection((host, int(port)), 20) as peer:
        peer.sendall(bytes(int(before)))
        peer.send(b"!", socket.MSG_OOB)
        peer.sendall(bytes(int(after)))
        peer.shutdown(socket.SHUT_WR)
        return {"got": int(peer.makefile().readline())}


def hoard(host, port, count, size):
    """Asks for `size` bytes that often, ends its half, and reads none of it."""
    peers, kept = [], 0
    for _ in range(int(count)):
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peers.append(peer)
        try:
            peer.settimeout(5)
            peer.connect((host, int(port)))
            peer.sendall(f"{size}\n".encode())
            peer.shutdown(socket.SHUT_WR)
            peer.recv(1, socket.MSG_PEEK)
            kept += 1
        except OSError:
            pass
    time.sleep(0.5)
    return {"kept": kept}


def talk(host, port, text, end="keep"):
    """Says a line, perhaps ends its half, and reads to the end: what came, and how it ended."""
    with socket.create_connection((host, int(port)), 20) as peer:
        peer.sendall(text.encode() + b"\n")
        if end == "half":
            peer.shutdown(socket.SHUT_WR)
        got, how = b"", "end"
        try:
            while data := peer.recv(65536):
                got += data
        except ConnectionResetError:
            how = "reset"
        except OSError as error:
            how = str(error)
    return {"got": got.decode(), "how": how}


def send_after_their_end(host, port, text):
    """Reads to the end of the other half, and only then says something."""
    with socket.create_connection((host, int(port)), 20) as peer:
        got = peer.makefile("rb").read()
        time.sleep(0.1)
        peer.sendall(text.encode())
    return {"got": got.decode()}


def leave(host, port, tag, how):
    """Ends the connection in order or with a reset, after a line."""
    with socket.create_connection((host, int(port)), 20) as peer:
        peer.sendall(tag.encode() + b"\n")
        noted = peer.recv(100).decode()
        if how == "reset":
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return {"noted": noted}


def crowd(host, port, count, hold="0"):
    """Many connections at once, each of which must bring its own words back."""
    peers, good, why = [], 0, set()
    for n in range(int(count)):
        ms, peer, problem = timed(lambda: socket.create_connection((host, int(port)), 10))
        if peer is None:
            why.add(problem)
        else:
            peers.append((n, peer))
    for n, peer in peers:
        timed(lambda: peer.sendall(f"number {n}\n".encode()))
    for n, peer in peers:
        peer.settimeout(10)
        ms, got, problem = timed(lambda: peer.recv(100))
        good += got == f"number {n}\n".encode()
        if got is None or got == b"":
            why.add(problem or "ended")
    time.sleep(float(hold))
    return {"connected": len(peers), "good": good, "why": sorted(why)}


def in_turn(host, port, count):
    """One connection after the other: how many echo, and milliseconds for each."""
    good, start = 0, time.monotonic()
    for n in range(int(count)):
        def there():
            with socket.create_connection((host, int(port)), 10) as peer:
                peer.sendall(b"x")
                return peer.recv(1)
        good += timed(there)[1] == b"x"
    return {"good": good, "ms": (time.monotonic() - start) * 1000 / int(count)}


def wait_line():
    """For the test to look at us: `here` on stdout, a line on stdin."""
    print("here", file=sys.stderr, flush=True)
    print("here", flush=True)
    sys.stdin.readline()


def query(name):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)


def name_flood(suffix, count):
    """A lookup of many names: how many answers of each code. Then those of the first name again."""
    server = next(line.split()[1] for line in open("/etc/resolv.conf") if line.startswith("nameserver"))
    codes, first = {}, []
    with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.settimeout(2)
        peer.connect((server, 53))
        for n in [*range(int(count)), 0]:
            peer.send(query(f"n{n}.{suffix}"))
            _, got, why = timed(lambda: peer.recv(4096))
            code = got[3] & 15 if got else why
            codes[code] = codes.get(code, 0) + 1
            if n == 0:
                first.append(got[-4:].hex() if got else None)
    wait_line()
    return {"codes": codes, "first": first}


def loris(host, port, count, seconds, good_host, good_port):
    """Connections that say one byte of a ClientHello now and then, beside one that means it."""
    peers = []
    for _ in range(int(count)):
        _, peer, _ = timed(lambda: socket.create_connection((host, int(port)), 5))
        if peer:
            peers.append(peer)
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(400)
    end, at, times = time.monotonic() + float(seconds), 0, []
    while time.monotonic() < end:
        for peer in peers:
            timed(lambda: peer.send(hello[at:at + 1]))
        at += 1
        ms, _, why = timed(lambda: socket.create_connection((good_host, int(good_port)), 5).close())
        times.append(ms if why is None else 1e6)
        time.sleep(0.05)
    wait_line()
    ended = 0
    for peer in peers:
        readable, _, _ = select.select([peer], [], [], 0)
        ended += bool(readable)
    return {"held": len(peers), "slowest_ms": max(times), "ended": ended}


def many_flows(host, port, count):
    """Datagrams from so many sockets: how many were answered. Then one that means it."""
    kind, _, _, _, address = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_DGRAM)[0]
    peers = []
    for number in range(int(count)):
        peer = socket.socket(kind, socket.SOCK_DGRAM)
        peer.settimeout(0.5)
        timed(lambda: peer.connect(address))
        timed(lambda: peer.send(b"hello"))
        peers.append(peer)
        # The kernel keeps some 270 for who is slow to take them, and drops the rest.
        if number % 100 == 99:
            select.select([peers[-100]], [], [], 0.5)
    time.sleep(0.5)
    answered = sum(bool(select.select([peer], [], [], 0)[0]) and timed(lambda: peer.recv(9))[1] == b"hello" for peer in peers)
    wait_line()
    return {"answered": answered}


def leave_datagrams(host, port, count, tcp_port):
    """So many questions by datagram, each from a socket of its own that is closed then; a connection, until it comes about."""
    answered = 0
    address = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_DGRAM)[0][4]
    for _ in range(int(count)):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            peer.settimeout(5)
            peer.connect(address)
            peer.send(b"hello")
            answered += timed(lambda: peer.recv(9))[1] == b"hello"
    end, reached = time.monotonic() + 20, False
    while not reached and time.monotonic() < end:
        def there():
            with socket.create_connection((host, int(tcp_port)), 5) as peer:
                peer.sendall(b"x")
                return peer.recv(1)
        reached = timed(there)[1] == b"x"
        time.sleep(0 if reached else 0.1)
    return {"answered": answered, "reached": reached}


def stall(host, port, count, size, good_host, good_port):
    """Asks for much on many connections, reads nothing of it, and echoes beside."""
    peers = []
    for _ in range(int(count)):
        peer = socket.create_connection((host, int(port)), 10)
        peer.sendall(f"{size}\n".encode())
        peers.append(peer)
    time.sleep(1)
    times = []
    for _ in range(20):
        def there():
            with socket.create_connection((good_host, int(good_port)), 10) as good:
                good.sendall(b"x")
                return good.recv(1)
        ms, got, _ = timed(there)
        times.append(ms if got == b"x" else 1e6)
    wait_line()
    got = 0
    for peer in peers:
        while data := peer.recv(1 << 20):
            got += len(data)
    return {"held": len(peers), "slowest_ms": max(times), "got": got}


def transfer_and_wait(host, port, gigabytes):
    """Much data, to look at the supervisor while it flows."""
    sent = 0
    with socket.create_connection((host, int(port)), 20) as peer:
        for n in range(int(gigabytes) << 10):
            peer.sendall(BLOCK)
            sent += len(BLOCK)
        peer.shutdown(socket.SHUT_WR)
        answer = peer.makefile().readline()
    return {"sent": sent, "answer": answer.split()[0]}


if __name__ == "__main__":
    main({f.__name__: f for f in (upload, download, urgent, hoard, talk, send_after_their_end, leave, crowd, in_turn,
                                  name_flood, loris, many_flows, leave_datagrams, stall, transfer_and_wait)}, *sys.argv[1:])
