"""Files of the Python client's workspace: how much is read, and a folder that cannot be removed at first."""
import asyncio
import errno
import os
import shutil
import threading
import time

import pytest

LIMIT = 64 << 20


def too_long(act):
    with pytest.raises(OSError, match="longer than the limit of") as caught:
        act()
    assert caught.value.errno == errno.EFBIG


def test_close_is_repeated_until_it_has_removed(client, monkeypatch):
    from sbx import folder, guardian
    box = client.Sandbox()
    place = os.path.dirname(box.workspace)

    def refuse(_):
        raise OSError(errno.EBUSY, "still in use")
    with monkeypatch.context() as patch:
        patch.setattr(folder, "remove", refuse)
        for _ in range(2):
            with pytest.raises(OSError, match="still in use"):
                box.close()
    assert os.path.isdir(place) and place in guardian._folders
    box.close()
    assert not os.path.lexists(place) and place not in guardian._folders
    box.close()


def test_close_that_failed_is_made_up_for_at_the_end(client, monkeypatch):
    from sbx import folder
    box = client.Sandbox()
    place = os.path.dirname(box.workspace)
    with monkeypatch.context() as patch:
        patch.setattr(folder, "remove", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            box.close()
    del box
    assert not os.path.lexists(place)


def test_file_of_100_gigabytes(client):
    with client.Sandbox() as box:
        with open(f"{box.workspace}/huge", "wb") as file:
            file.truncate(100 << 30)
        too_long(lambda: box.read_file("huge"))
        too_long(lambda: asyncio.run(client.AsyncSandbox.of(box).read_file("huge", limit=1 << 20)))


def test_limit_is_exact(client):
    with client.Sandbox() as box:
        box.write_file("ten", "0123456789")
        assert box.read_file("ten", limit=10) == b"0123456789"
        too_long(lambda: box.read_file("ten", limit=9))
        too_long(lambda: box.read_file("ten", limit=-1))
        box.write_file("none", "")
        assert box.read_file("none", limit=0) == b""
        box.write_file("most", bytes(LIMIT))
        assert len(box.read_file("most")) == LIMIT


def test_file_that_grows_while_it_is_read(client, monkeypatch):
    """Its size was below the limit when it was looked at."""
    from sbx import folder
    with client.Sandbox() as box:
        box.write_file("log", "x")
        path, looked = f"{box.workspace}/log", os.fstat

        def grow(fd):
            seen = looked(fd)
            os.truncate(path, 100 << 30)
            return seen
        monkeypatch.setattr(folder.os, "fstat", grow)
        too_long(lambda: box.read_file("log", limit=3 << 20))


def test_closed_from_two_threads(client):
    box = client.Sandbox()
    box.write_file("a/b/c", "x")
    failed = []

    def close():
        try:
            box.close()
        except OSError as error:
            failed.append(error)
    threads = [threading.Thread(target=close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and not os.path.lexists(os.path.dirname(box.workspace))


@pytest.mark.parametrize("meanwhile", ["removed", "removed when it is open", "a link", "a file"])
def test_a_folder_that_goes_while_files_are_listed(client, monkeypatch, meanwhile):
    from sbx import folder
    enter = folder._enter

    def late(root, names, make):
        if names != ["goes"]:
            return enter(root, names, make)
        place = os.path.join(root, "goes")
        opened = enter(root, names, make) if "open" in meanwhile else -1
        shutil.rmtree(place)
        if meanwhile == "a link":
            os.symlink("/etc", place)
        elif meanwhile == "a file":
            open(place, "w").close()
        return opened if opened >= 0 else enter(root, names, make)

    with client.Sandbox() as box:
        for name in ("goes/x", "stays/y", "z"):
            box.write_file(name, "")
        monkeypatch.setattr(folder, "_enter", late)
        before = len(os.listdir("/proc/self/fd"))
        assert box.list_files() == ["stays/y", "z"]
        assert len(os.listdir("/proc/self/fd")) == before
        monkeypatch.undo()
    box = client.Sandbox(workspace="/no/such:rw")
    with pytest.raises(FileNotFoundError):
        box.list_files()


@pytest.mark.parametrize("check", [False, True])
def test_what_was_to_be_applied_and_was_not_is_an_error(client, degraded, check):
    """As sbx itself fails then. The command goes on when the host has other changes than it knows."""
    reading, writing = os.pipe()
    with client.Sandbox(workspace="overlay", keep="apply", degrade=["cgroup"] if degraded else []) as box, \
            os.fdopen(reading, "rb", 0) as source, os.fdopen(writing, "wb", 0) as go:
        box.write_file("file", "before")

        def ready(_):
            time.sleep(0.05)  # more than a tick of the clock that files get their times from
            box.write_file("file", "meanwhile")
            go.write(b"go\n")

        with pytest.raises(client.SbxError, match="not applied: file") as caught:
            box.run(["sh", "-c", "echo ready; read line; echo mine > file"], input=source, check=check, on_stdout=ready)
        assert (caught.value.code, caught.value.result.status, len(caught.value.result.undelivered)) == (125, "ok", 1)
        assert box.read_file("file") == b"meanwhile"
