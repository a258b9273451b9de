#!/usr/bin/env python3
"""The small services of the test internet, and those on the host's own loopback, on one asyncio loop each.
What they see goes to FOLDER/log/seen, one JSON object a line. PORTS (ports.py) says which is where.

    services.py internet|host FOLDER
"""
import asyncio
import hashlib
import json
import socket
import struct
import sys

import names
import ports
import proxy


class Seen:
    """What a service was asked, for the tests to read."""

    def __init__(self, folder):
        self.file = open(f"{folder}/log/seen", "a", buffering=1)

    def note(self, service, **what):
        self.file.write(json.dumps({"service": service, **what}) + "\n")


async def echo(reader, writer, _):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def mail(reader, writer, seen):
    """As much of SMTP (RFC 5321) as smtplib asks for."""
    writer.write(b"220 mail.test\r\n")
    while line := await reader.readline():
        verb = line[:4].upper()
        if verb == b"DATA":
            writer.write(b"354 go on\r\n")
            text = await reader.readuntil(b"\r\n.\r\n")
            seen.note("mail", text=text.decode())
        writer.write(b"221 bye\r\n" if verb == b"QUIT" else b"250 fine\r\n")
        if verb == b"QUIT":
            return


async def web(reader, writer, seen):
    """Takes anything for a request; its answer is what it has got, and on which address: for attacks with HTTP."""
    got = b""
    try:
        while data := await asyncio.wait_for(reader.read(65536), 0.15 if got else 10):
            got += data
    except asyncio.TimeoutError:
        pass
    where = writer.get_extra_info("sockname")[0]
    seen.note("web", got=got.decode("latin-1"), where=where)
    writer.write(b"HTTP/1.1 200 OK\r\nWhere: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                 % (where.encode(), len(got), got))


async def websocket(reader, writer, _):
    """Switches protocols (RFC 9110 7.8), and echoes."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    await echo(reader, writer, _)


async def slow(reader, writer, _):
    await reader.readline()
    for byte in b"slowly, but all of it\n":
        await asyncio.sleep(0.02)
        writer.write(bytes([byte]))


async def speaks_last(reader, writer, seen):
    """Answers when the client has ended its half: how much came, and its SHA-256."""
    total, digest = 0, hashlib.sha256()
    while data := await reader.read(1 << 20):
        total += len(data)
        digest.update(data)
    seen.note("speaks_last", total=total)
    writer.write(f"{total} {digest.hexdigest()}\n".encode())


async def ends_its_half(reader, writer, seen):
    """Ends its half at once, goes on reading, and notes what came after that."""
    writer.write(b"that is all\n")
    writer.write_eof()
    got = await reader.read()
    seen.note("ends_its_half", got=got.decode())


def set_linger(writer):
    """close(2) then sends a reset (socket(7), SO_LINGER)."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def resets(reader, writer, _):
    await reader.read(1)
    set_linger(writer)
    writer.transport.abort()


async def how_it_ended(reader, writer, seen):
    """Notes under the tag in the first line whether the client ended in order or by a reset."""
    tag = (await reader.readline()).decode().strip()
    writer.write(b"noted\n")
    try:
        while await reader.read(65536):
            pass
        seen.note("how_it_ended", tag=tag, how="end")
    except ConnectionResetError:
        seen.note("how_it_ended", tag=tag, how="reset")


async def closes_first(_, writer, __):
    writer.write(b"hello, and goodbye\n")


async def source(reader, writer, _):
    """A line with a number asks for that many bytes."""
    left = int(await reader.readline())
    block = bytes(range(256)) * 1024
    while left > 0:
        writer.write(block[:left])
        left -= len(block)
        await writer.drain()


async def silent(reader, _, __):
    while await reader.read(65536):
        pass


async def never_reads(reader, writer, seen):
    """Not for four seconds; then notes how what came has ended."""
    writer.transport.pause_reading()
    await asyncio.sleep(4)
    writer.transport.resume_reading()
    try:
        while await reader.read(65536):
            pass
        seen.note("never_reads", how="end")
    except ConnectionResetError:
        seen.note("never_reads", how="reset")


async def reads_slowly(reader, writer, seen):
    """One megabyte of what was sent, then a pause, then the rest."""
    got = len(await reader.readexactly(1 << 20))
    seen.note("reads_slowly", first=got)
    await asyncio.sleep(1.0)
    while data := await reader.read(1 << 20):
        got += len(data)
    writer.write(f"{got}\n".encode())


def server_of(service, seen):
    async def serve(reader, writer):
        try:
            await service(reader, writer, seen)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            writer.close()
    return serve


class UdpEcho(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        for answer in [data] * (3 if data.startswith(b"three") else 1):
            self.transport.sendto(answer, address)


async def main(where, folder):
    loop, seen, servers = asyncio.get_running_loop(), Seen(folder), []
    known = {f.__name__: f for f in (echo, mail, web, slow, speaks_last, ends_its_half, resets, how_it_ended,
                                     closes_first, source, silent, reads_slowly, never_reads, websocket)}
    known |= {"proxy": proxy.serve, "proxy_with_password": proxy.serve_with_password}
    for name, host, port in ports.tcp(where):
        servers.append(await asyncio.start_server(server_of(known[name], seen), host, port, backlog=4096, limit=1 << 21))
    for host, port in ports.udp(where):
        await loop.create_datagram_endpoint(UdpEcho, (host, port))
    if where == "internet":
        await loop.create_datagram_endpoint(lambda: names.Server(seen), ("127.0.0.1", names.PORT))
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
