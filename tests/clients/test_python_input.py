"""What the Python client takes for a command's input: any file, from where it stands."""
import gzip
import io
import os
import socket
import subprocess
import tempfile

import pytest

TEXT = "".join(f"line {number}\n" for number in range(5000))  # longer than what is read ahead
REST = TEXT.partition("\n")[2]


@pytest.fixture
def read(client, degraded):
    """What a command reads of an input."""
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        yield lambda data: box.run(["cat"], input=data).stdout_text


@pytest.fixture
def path(tmp_path):
    (tmp_path / "in").write_text(TEXT)
    return tmp_path / "in"


@pytest.mark.parametrize("options", [{"mode": "rb"}, {"mode": "rb", "buffering": 0}, {"mode": "r+b"}, {"mode": "r"},
                                     {"mode": "r+"}], ids=str)
def test_file_of_which_a_line_was_read(read, path, options):
    with open(path, **options) as file:
        file.readline()
        assert read(file) == REST


def test_file_that_was_written_to(read):
    for mode in ("w+b", "w+"):
        with tempfile.TemporaryFile(mode) as file, tempfile.NamedTemporaryFile(mode) as named:
            for one in (file, named):
                one.write(TEXT if mode == "w+" else TEXT.encode())
                one.seek(7)
                assert read(one) == REST


def test_text_in_the_midst_of_its_lines(read, path):
    with open(path) as file:
        next(file)
        assert read(file) == REST
    path.write_text("é\n" + TEXT, encoding="latin-1")
    with open(path, encoding="latin-1") as file:
        next(file)
        next(file)
        assert read(file) == REST


def test_files_that_are_none_of_the_systems(read, tmp_path):
    for file in (io.BytesIO(TEXT.encode()), io.StringIO(TEXT), io.BufferedReader(io.BytesIO(TEXT.encode()))):
        file.readline()
        assert read(file) == REST
    with gzip.open(tmp_path / "in.gz", "wt") as file:
        file.write(TEXT)
    for mode in ("rb", "rt"):  # with a descriptor, of which the compressed bytes would come
        with gzip.open(tmp_path / "in.gz", mode) as file:
            file.readline()
            assert read(file) == REST
    with tempfile.SpooledTemporaryFile() as file:
        file.write(TEXT.encode())
        file.seek(7)
        assert read(file) == REST


def test_pipes_are_handed_over_unless_something_would_be_lost(read):
    for text in (False, True):
        with subprocess.Popen(["sh", "-c", "echo one; echo two"], stdout=subprocess.PIPE, text=text) as process:
            assert read(process.stdout) == "one\ntwo\n"
        with subprocess.Popen(["sh", "-c", "echo one; echo two"], stdout=subprocess.PIPE, text=text) as process:
            process.wait()
            process.stdout.readline()
            with pytest.raises(ValueError, match="read ahead of this pipe would be lost"):
                read(process.stdout)
    ours, theirs = socket.socketpair()
    with ours, theirs, theirs.makefile("rb") as file:
        ours.sendall(b"over a socket")
        ours.shutdown(socket.SHUT_WR)
        assert read(file) == "over a socket"


def test_a_pipe_that_nothing_comes_from_yet_is_not_waited_for(client, degraded):
    reading, writing = os.pipe()
    with open(reading, "rb") as file, client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        assert box.run(["echo", "not waited"], input=file).stdout == b"not waited\n"
    os.close(writing)


@pytest.mark.parametrize("data", [5, ["x"], object()], ids=str)
def test_what_is_no_input_is_told(read, data):
    with pytest.raises(TypeError, match="input is text, bytes, or a file"):
        read(data)


@pytest.mark.parametrize("flags, mode", [(os.O_WRONLY, "wb"), (os.O_WRONLY, "w"), (os.O_PATH, "rb")])
def test_a_file_that_cannot_be_read_is_no_empty_input(read, path, flags, mode):
    with open(os.open(path, flags), mode) as file, pytest.raises(ValueError, match="is not open for reading"):
        read(file)


def test_bytes_of_any_kind(client, read):
    for data in (b"abc", bytearray(b"abc"), memoryview(b"xabc")[1:]):
        assert read(data) == "abc"
        with client.Sandbox() as box:
            box.write_file("file", data)
            assert box.read_file("file") == b"abc"


def test_the_name_that_it_has_elsewhere_is_refused_with_ours(client, degraded):
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, pytest.raises(ValueError, match="what the command reads is input="):
        box.run(["cat"], stdin="text")
