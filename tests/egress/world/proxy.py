"""An HTTP proxy that knows CONNECT, with or without a password, and who asked it for what."""
import asyncio
import base64

# It sees another internet than the caller: nobody asks its DNS.
ADDRESSES = {"allowed.test": "11.22.33.10", "forbidden.test": "11.22.33.10", "other.test": "11.22.33.20",
             "behind.test": "11.22.33.20"}
PASSWORD = base64.b64encode(b"user:pass word").decode()


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()


async def serve(reader, writer, seen, password=None):
    line = b"\r\n"
    while line == b"\r\n":  # which a server should ignore before a request (RFC 9112 2.2)
        line = await reader.readline()
    head = (line + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    verb, target = head.split(" ")[:2]
    seen.note("proxy", verb=verb, target=target, head=head)
    if password and f"Basic {password}" not in head:
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        return
    if verb != "CONNECT":
        writer.write(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
        return
    host, _, port = target.rpartition(":")
    try:
        there = await asyncio.open_connection(ADDRESSES.get(host, host.strip("[]")), int(port))
    except (OSError, ValueError):
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        return
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(copy(reader, there[1]), copy(there[0], writer))
    there[1].close()


async def serve_with_password(reader, writer, seen):
    await serve(reader, writer, seen, PASSWORD)
