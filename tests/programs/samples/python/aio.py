"""asyncio: subprocesses, streams over loopback and a path socket, signals, timeouts."""
import asyncio
import os
import signal
import sys
import tempfile


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def ask(reader, writer, text):
    writer.write(text)
    line = await reader.readline()
    writer.close()
    return line


async def main():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print(input()[::-1])", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate(b"abc\n")
    assert (process.returncode, out) == (0, b"cba\n")
    shell = await asyncio.create_subprocess_shell("exit 7")
    assert await shell.wait() == 7
    late = await asyncio.create_subprocess_exec("sleep", "60")
    try:
        await asyncio.wait_for(late.wait(), 0.1)
        raise SystemExit("sleep ended at once")
    except asyncio.TimeoutError:
        late.kill()
        assert await late.wait() == -signal.SIGKILL

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    assert await ask(*await asyncio.open_connection("127.0.0.1", port), b"tcp\n") == b"TCP\n"
    path = os.path.join(tempfile.mkdtemp(), "socket")
    local = await asyncio.start_unix_server(answer, path)
    assert await ask(*await asyncio.open_unix_connection(path), b"unix\n") == b"UNIX\n"
    server.close()
    local.close()

    caught = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, caught.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(caught.wait(), 10)
    assert await asyncio.to_thread(lambda: 5) == 5
    print("asyncio fine")


asyncio.run(main())
