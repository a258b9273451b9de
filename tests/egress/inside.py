#!/usr/bin/env python3
"""What the tests of egress run inside: inside.py VERB [WORD...]. Prints one JSON object; "reached" says whether
it got to where it wanted. The verbs of attacks are in hostile.py."""
import json
import socket
import sys
import time


def timed(call):
    """(milliseconds, what it returned, None) or (milliseconds, None, why not)."""
    start = time.monotonic()
    try:
        result, why = call(), None
    except OSError as error:
        result, why = None, f"{type(error).__name__}: {error}"
    return (time.monotonic() - start) * 1000, result, why


def lookup(name):
    """getaddrinfo(3)."""
    ms, found, why = timed(lambda: sorted({a[4][0] for a in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}))
    return {"reached": bool(found), "addresses": found, "ms": ms, "why": why}


def connect(host, port):
    ms, peer, why = timed(lambda: socket.create_connection((host, int(port)), 10))
    return {"reached": peer is not None, "ms": ms, "why": why}


def echo(host, port, text="hello"):
    """To an echo server and back."""
    def there():
        with socket.create_connection((host, int(port)), 10) as peer:
            peer.sendall(text.encode())
            return peer.recv(100).decode()
    ms, got, why = timed(there)
    return {"reached": got == text, "got": got, "ms": ms, "why": why}


def echoes(*targets):
    """HOST PORT HOST PORT ...: which are reached."""
    pairs = list(zip(targets[::2], targets[1::2]))
    found = {f"{host}:{port}": echo(host, port) for host, port in pairs}
    return {"reached": [name for name, answer in found.items() if answer["reached"]], "all": found}


def udp(host, port, text="hello", seconds="2", family="0"):
    def there():
        kind, _, _, _, address = socket.getaddrinfo(host, int(port), int(family), socket.SOCK_DGRAM)[0]
        with socket.socket(kind, socket.SOCK_DGRAM) as peer:
            peer.settimeout(float(seconds))
            peer.connect(address)
            got = []
            for _ in range(3):  # a datagram may be lost
                peer.send(text.encode())
                try:
                    while len(got) < (3 if text.startswith("three") else 1):
                        got.append(peer.recv(2048).decode())
                    break
                except TimeoutError:
                    continue
            return got
    ms, got, why = timed(there)
    return {"reached": bool(got), "got": got[0] if got else None, "all": got, "ms": ms, "why": why}


def main(verbs, verb, *words):
    print(json.dumps(verbs[verb](*words)))


if __name__ == "__main__":
    main({f.__name__: f for f in (lookup, connect, echo, echoes, udp)}, *sys.argv[1:])
