#!/usr/bin/env python3
"""What a payload that wants out does: hostile.py VERB [WORD...], as inside.py."""
import concurrent.futures
import socket
import ssl
import struct
import subprocess
import sys
import time

import smuggled
from inside import echo, lookup, main, timed, udp


def where(host, port="80", times="1", pause="0", name=""):
    """The addresses of the web servers that answered, one for each time."""
    found = []
    for n in range(int(times)):
        time.sleep(float(pause) if n else 0)

        def ask():
            with socket.create_connection((host, int(port)), 5) as peer:
                peer.sendall(f"GET / HTTP/1.1\r\nHost: {name or host}\r\n\r\n".encode())
                answer = peer.recv(4096).decode()
                return answer.split("Where: ", 1)[1].split("\r\n")[0] if "Where: " in answer else answer
        found.append(timed(ask)[1])
    return {"reached": found}


def read_all(peer):
    got = b""
    try:
        while data := peer.recv(65536):
            got += data
    except OSError:
        pass
    return got


def http(case, host="other.test", port="80"):
    """A smuggled request; reached when the server has got the other name."""
    def ask():
        with socket.create_connection((host, int(port)), 5) as peer:
            request = smuggled.REQUESTS[case]
            step = 7 if case.endswith("in_pieces") else len(request)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(0, len(request), step):
                peer.sendall(request[at:at + step])
                time.sleep(0.003 if step == 7 else 0)
            return read_all(peer)
    ms, got, why = timed(ask)
    return {"reached": b"forbidden.test" in (got or b"").lower(), "got": (got or b"")[-300:].decode("latin-1"), "ms": ms,
            "why": why}


def side_by_side(call, cases):
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        return dict(zip(cases, pool.map(call, cases)))


def all_http():
    """Every smuggled request: those that reached their server."""
    found = side_by_side(http, smuggled.REQUESTS)
    return {"reached": [case for case, answer in found.items() if answer["reached"]], "all": found}


def all_honest(step="0"):
    found = side_by_side(lambda case: honest(case, step if len(smuggled.HONEST[case]) < 500 else "0"), smuggled.HONEST)
    return {"reached": [case for case, answer in found.items() if answer["reached"]], "all": found}


def honest(case, step="0"):
    """An honest request, in pieces of so many bytes or whole: did the server get just that?"""
    request = smuggled.HONEST[case]

    def ask():
        with socket.create_connection(("other.test", 80), 5) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            size = int(step) or len(request)
            for at in range(0, len(request), size):
                peer.sendall(request[at:at + size])
            return read_all(peer)
    ms, got, why = timed(ask)
    return {"reached": (got or b"").split(b"\r\n\r\n", 1)[-1] == request, "size": len(got or b""), "why": why}


def websocket(refused_first="0"):
    """An upgrade that the server takes; from then on anything goes."""
    with socket.create_connection(("other.test", 2009), 5) as peer:
        peer.sendall(b"GET /chat HTTP/1.1\r\nHost: other.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        answer = peer.recv(1000)
        peer.sendall(b"\x81\x05hello Host: forbidden.test")
        return {"reached": answer.startswith(b"HTTP/1.1 101") and peer.recv(100).startswith(b"\x81\x05hello")}


def connect_through(host, port, target, empty_lines="0"):
    """CONNECT, and then what the target says to plain HTTP or TLS bytes: anything that is no error."""
    def ask():
        with socket.create_connection((host, int(port)), 5) as peer:
            peer.sendall(b"\r\n" * int(empty_lines) + f"CONNECT {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            return peer.recv(4096).decode()
    ms, got, why = timed(ask)
    return {"reached": "200 Connection established" in (got or ""), "got": got, "ms": ms, "why": why}


def hello_bytes(name, tls):
    """The bytes of a ClientHello, and what goes on with the handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(into, out, server_hostname=name or None)
    return session, into, out


def tls(host, port, name, cut="whole", request_host="forbidden.test", path="/"):
    """HTTPS with `name` in the ClientHello, which is sent whole, bytewise, or in two records."""
    session, into, out = hello_bytes(name, None)

    def step(call):
        while True:
            try:
                return call()
            except ssl.SSLWantReadError:
                peer.sendall(out.read())
                data = peer.recv(65536)
                if not data:
                    into.write_eof()
                into.write(data)

    def ask():
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            first = out.read()
        if cut == "records":
            body, middle = first[5:], 60
            first = b"".join(first[:3] + struct.pack(">H", len(part)) + part for part in (body[:middle], body[middle:]))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in ([first[i:i + 1] for i in range(len(first))] if cut == "bytes" else [first]):
            peer.sendall(piece)
        step(session.do_handshake)
        session.write(f"GET {path} HTTP/1.1\r\nHost: {request_host}\r\nConnection: close\r\n\r\n".encode())
        peer.sendall(out.read())
        return step(lambda: session.read(65536)).decode()

    ms, peer, why = timed(lambda: socket.create_connection((host, int(port)), 5))
    if peer is None:
        return {"reached": False, "why": why, "ms": ms}
    with peer:
        try:
            ms, got, why = timed(ask)
        except ssl.SSLError as error:
            got, why = None, str(error)
    return {"reached": bool(got), "got": got, "ms": ms, "why": why}


def query(name, kind=1):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">HHHHHH", 0x1234, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def dns(server, name, transport="udp", kind="1"):
    """Asks a DNS server by its address. reached: it has an answer for us."""
    def ask():
        if transport == "udp":
            with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM) as peer:
                peer.settimeout(3)
                peer.connect((server, 53))
                peer.send(query(name, int(kind)))
                return peer.recv(4096)
        with socket.create_connection((server, 53), 3) as peer:
            message = query(name, int(kind))
            peer.sendall(struct.pack(">H", len(message)) + message)
            return peer.recv(4096)[2:]
    ms, got, why = timed(ask)
    code = got[3] & 15 if got else None
    return {"reached": code == 0 and struct.unpack(">H", got[6:8])[0] > 0, "code": code, "ms": ms, "why": why}


def kinds_of_sockets():
    """Those that would go round the rules: which can be had."""
    wanted = {"raw": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
              "raw of udp": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP),
              "raw of v6": (socket.AF_INET6, socket.SOCK_RAW, 58), "packet": (socket.AF_PACKET, socket.SOCK_RAW, 0x300),
              "packet cooked": (socket.AF_PACKET, socket.SOCK_DGRAM, 0x300), "vsock": (40, socket.SOCK_STREAM, 0),
              "xdp": (44, socket.SOCK_RAW, 0), "bluetooth": (31, socket.SOCK_RAW, 1), "can": (29, socket.SOCK_RAW, 1)}
    found = {}
    for name, arguments in wanted.items():
        try:
            socket.socket(*arguments).close()
            found[name] = True
        except OSError as error:
            found[name] = str(error)
    return {"reached": [name for name, got in found.items() if got is True], "all": found}


def abstract(name):
    def there():
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect("\0" + name)
            return peer.recv(100).decode()
    ms, got, why = timed(there)
    return {"reached": bool(got), "why": why}


def routed_by_a_header(first, last, port):
    """A datagram to `last` by way of `first`: a routing header (RFC 8200 4.4) of types 0, 2 and 4."""
    found = {}
    for kind in (0, 2, 4):
        def ask():
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as peer:
                peer.settimeout(0.3)
                header = struct.pack("BBBBI", 0, 2, kind, 1, 0) + socket.inet_pton(socket.AF_INET6, last)
                peer.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RTHDR, header)
                peer.sendto(b"hello", (first, int(port)))
                return peer.recv(100)
        ms, got, why = timed(ask)
        found[kind] = why or "answered"
    return {"reached": [kind for kind, got in found.items() if got == "answered"], "all": found}


CHANGES = {
    "an address": "ip addr add 11.22.33.77/32 dev lo",
    "a route": "ip route add 11.22.33.0/24 via 127.0.0.1",
    "no route": "ip route del local 0.0.0.0/0 dev lo",
    "no link": "ip link set lo down",
    "a link": "ip link add d0 type dummy",
    "a rule": "ip rule add from all lookup main pref 1",
    "a packet filter": "nft add table t",
    "a setting": "sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'",
}


def changes(how="as_it_is", then_host="allowed.test", then_port="7"):
    """Tries to change the network; then whether the allowed host is still reached."""
    before = [] if how == "as_it_is" else ["unshare", "-Urn" if how == "new_both" else "-Ur"]
    done = {name: subprocess.run([*before, "sh", "-c", f"PATH=$PATH:/usr/sbin:/sbin; {text}"], capture_output=True).returncode
            for name, text in CHANGES.items()}
    return {"reached": [name for name, code in done.items() if code == 0], "then": echo(then_host, then_port)}


if __name__ == "__main__":
    main({f.__name__: f for f in (where, all_http, all_honest, websocket, connect_through, tls, dns, kinds_of_sockets, abstract, routed_by_a_header,
                                  changes, echo, udp, lookup)}, *sys.argv[1:])
