"""The names whose answers change, or never come: a small DNS server (RFC 1035) behind dnsmasq.

    *.rebind.test   first a public address, from the second question on a private one
    *.flip.test     the same, and then public again
    *.crowd.test    twenty addresses
    *.hang.test     no answer
"""
import asyncio
import socket
import struct

PORT = 5300
PUBLIC, PRIVATE = "11.22.33.20", "10.20.0.5"
A = 1


def read_name(data):
    labels, at = [], 12
    while data[at]:
        labels.append(data[at + 1:at + 1 + data[at]].decode("latin-1").lower())
        at += 1 + data[at]
    return ".".join(labels), data[12:at + 5], struct.unpack(">H", data[at + 1:at + 3])[0]


class Server(asyncio.DatagramProtocol):
    def __init__(self, seen):
        self.seen, self.asked = seen, {}

    def connection_made(self, transport):
        self.transport = transport

    def addresses(self, name):
        count = self.asked[name] = self.asked.get(name, 0) + 1
        if name.endswith(".crowd.test"):
            return [f"11.22.33.{n}" for n in (1, 10, 20, 30)] * 5
        if name.endswith(".rebind.test"):
            return [PUBLIC if count == 1 else PRIVATE]
        return [PRIVATE if count == 2 else PUBLIC]

    def datagram_received(self, data, address):
        name, question, kind = read_name(data)
        self.seen.note("names", name=name, kind=kind)
        if name.endswith(".hang.test"):
            return
        found = self.addresses(name) if kind == A else []
        head = data[:2] + struct.pack(">HHHHH", 0x8580, 1, len(found), 0, 0)
        records = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", A, 1, 0, 4) + socket.inet_aton(a) for a in found)
        self.transport.sendto(head + question + records, address)
