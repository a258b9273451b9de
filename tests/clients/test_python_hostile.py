"""The Python client when things go wrong: commands that leave traps, callbacks that raise, callers that err."""
import asyncio
import gc
import os
import pickle
import signal
import tempfile
import threading

import pytest

from clients import python_table as table
from clients.conftest import STUBBORN

SECONDS = 20  # for what has to come about


def test_traps_in_the_workspace(client, degraded):
    """A FIFO does not hold the client; a tree that is deep or closed does not stay behind."""
    script = ("import os\nos.mkfifo('pipe'); os.mkdir('shut'); open('shut/x', 'w'); os.chmod('shut', 0)\n"
              "for _ in range(3000): os.mkdir('deep'); os.chdir('deep')")
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        assert box.run(["/usr/bin/python3", "-I", "-S", "-c", script]).ok
        for act in (lambda: box.read_file("pipe"), lambda: box.write_file("pipe", "x"), lambda: box.read_file("deep"),
                    box.list_files):
            with pytest.raises(OSError):
                act()
    assert not os.path.lexists(box.workspace)


@pytest.mark.parametrize("words, status, code", [(["true"], "ok", 0), (["sh", "-c", "exit 3"], "nonzero", 3),
                                                 (["sh", "-c", "kill -9 $$"], "signal", 137),
                                                 (["no-such-command"], "not_found", 127)])
def test_caller_that_ignores_its_children(client, degraded, words, status, code):
    """With SIGCHLD ignored there is no exit status to wait for; the result has it all the same."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
            result = box.run(words)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (result.status, result.code) == (status, code)


def test_callback_that_raises(client, degraded):
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, pytest.raises(ZeroDivisionError):
        box.run(["sh", "-c", "echo; exec sleep 50"], on_stdout=lambda _: 1 / 0)


ENDLESS = "sleep {} & while :; do echo; done"


def test_cancelled_while_a_callback_waits(client, tree, degraded):
    """What waits for the callback does not hold whoever cancels, and the callback does not go on."""
    asked, said = [], []

    async def run():
        heard = asyncio.Queue(1)  # takes one output, and no second one

        async def put(data):
            asked.append(data)
            try:
                await heard.put(data)
            except asyncio.CancelledError:
                said.append("callback cancelled")
                raise

        async with client.AsyncSandbox(degrade=["cgroup"] if degraded else []) as box:
            task = asyncio.ensure_future(box.run(["sh", "-c", ENDLESS.format(tree)], on_stdout=put))
            while not (len(asked) == 2 and table.running_with(tree)):
                await asyncio.sleep(0.01)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(task, 0.01)
            assert table.running_with(tree) == []
        said.append("run ended")

    ended = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)  # one that hangs ignores what would end it
    ended.start()
    ended.join(SECONDS)
    assert said == ["callback cancelled", "run ended"]


class Awaited:
    async def __call__(self, data):
        raise AssertionError("nobody awaits this")


@pytest.mark.parametrize("name", ["on_stdout", "on_stderr", "on_event"])
def test_coroutine_function_where_nobody_awaits(client, tree, degraded, name):
    """Refused before anything starts; one that only its answer shows ends the run."""
    call = Awaited()
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        for sink in (call.__call__, call):
            with pytest.raises(TypeError, match=f"{name} is a coroutine function.*AsyncSandbox"):
                box.run(["touch", "started"], **{name: sink})
        assert box.list_files() == []
        with pytest.raises(TypeError, match="a callback gave a coroutine.*AsyncSandbox"):
            box.run(["sh", "-c", f"echo; echo >&2; sleep {tree}"], **{name: lambda data: call(data)})


@pytest.mark.parametrize("error", [ZeroDivisionError, asyncio.CancelledError], ids=lambda error: error.__name__)
def test_async_callback_that_raises(client, tree, degraded, error):
    async def err(_):
        raise error

    async def run():
        async with client.AsyncSandbox(degrade=["cgroup"] if degraded else []) as box:
            with pytest.raises(error):
                await asyncio.wait_for(box.run(["sh", "-c", ENDLESS.format(tree)], on_stdout=err), SECONDS)
            assert table.running_with(tree) == []

    asyncio.run(run())


def test_no_binary(client, monkeypatch):
    monkeypatch.setenv("SBX_BIN", "/no/such/sbx")
    with pytest.raises(client.SbxError, match="SBX_BIN=/no/such/sbx"):
        client.Sandbox()
    with pytest.raises(client.SbxError, match="binary=/etc/passwd"):
        client.Sandbox(binary="/etc/passwd")
    monkeypatch.delenv("SBX_BIN")
    monkeypatch.setenv("PATH", "/no/such/folder")
    with pytest.raises(client.SbxError, match="PATH"):
        client.Sandbox()


def test_a_bare_name_is_looked_up_in_path_and_nowhere_else(client, sbx, monkeypatch, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "mysbx").symlink_to(sbx.binary)
    monkeypatch.chdir(folder)
    for path in ("/no/such/folder", ":/no/such/folder", ""):
        monkeypatch.setenv("PATH", path)
        monkeypatch.setenv("SBX_BIN", "mysbx")
        with pytest.raises(client.SbxError, match="SBX_BIN=mysbx is no executable file in PATH"):
            client.Sandbox()
        with pytest.raises(client.SbxError, match="binary=mysbx is"):
            client.Sandbox(binary="mysbx")
    with client.Sandbox(binary="./mysbx") as box:
        assert box.binary == str(folder / "mysbx")
    monkeypatch.chdir("/")
    monkeypatch.setenv("PATH", str(folder))
    with client.Sandbox() as box:
        assert box.binary == str(folder / "mysbx")


@pytest.mark.parametrize("content, why", [("no program\n", "Exec format error"), ("#!/no/such/shell\n", "No such file")])
def test_binary_that_does_not_start(client, tmp_path, content, why):
    path = tmp_path / "sbx"
    path.write_text(content)
    path.chmod(0o755)
    with client.Sandbox(binary=path) as box:
        for call in (lambda: box.run(["true"]), box.explain, lambda: client.check("python", binary=path)):
            with pytest.raises(client.SbxError, match=f"^cannot start {path}: {why}"):
                call()
    with pytest.raises(client.SbxError, match="is no executable file"):
        client.Sandbox(binary=tmp_path)  # a folder


def test_binary_that_is_not_sbx(client):
    with client.Sandbox(binary="/bin/echo") as box, pytest.raises(client.SbxError, match="without a result"):
        box.run(["true"])


def test_binary_that_prints_json(client, tmp_path):
    for text in ("5", "[]", "null", "{}"):
        (tmp_path / "sbx").write_text(f"#!/bin/sh\necho '{text}'\n")
        (tmp_path / "sbx").chmod(0o755)
        with client.Sandbox(binary=tmp_path / "sbx") as box, pytest.raises(client.SbxError, match="of another kind"):
            box.run(["true"])


def test_errors_come_back_from_a_pool_of_processes(client, degraded):
    """Which pickles them; one that cannot be made again there takes all other work of the pool with it."""
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        with pytest.raises(client.CommandFailed) as failed:
            box.run(["sh", "-c", "echo why >&2; exit 3"], check=True)
        with pytest.raises(client.SbxError) as wrong:
            box.run(["true"], memory="much")
    for error in (failed.value, wrong.value):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.code) == (type(error), str(error), error.code)
        assert again.result == error.result
    assert len({failed.value.result, pickle.loads(pickle.dumps(failed.value)).result}) == 1


def test_callers_mistakes(client):
    with client.Sandbox() as box:
        with pytest.raises(TypeError, match="list of words"):
            box.run("ls -l")
        with pytest.raises(ValueError, match="--json"):
            box.run(["true"], json=True)
        with pytest.raises(ValueError, match="relative"):
            box.write_file("../x", "")
    with pytest.raises(ValueError, match="closed"):
        box.run(["true"])
    with pytest.raises(ValueError, match="neither a name nor a path"):
        client.Sandbox("-x")


def test_flags():
    from sbx.options import flags
    assert flags({"timeout": 0.25, "memory": 1 << 20, "wall": "2s", "quiet": True, "pids": None}) == \
        ["--timeout=250ms", "--memory=1048576B", "--timeout=2s", "--quiet"]
    assert flags({"ro": {"/a": "/b"}, "env": {"K": "v"}, "set": {"x": ["y"]}, "cap": ["a", "b"]}) == \
        ["--ro=/a:/b", "--env=K=v", '--set=x=["y"]', "--cap=a", "--cap=b"]


def test_half_of_a_surrogate_pair_is_told(client, monkeypatch, tmp_path):
    """In one error, which says where; nothing is left of the sandbox."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with pytest.raises(ValueError, match=r'^half of a surrogate pair, U\+D800, is no character: after "MODE": "before$') as caught:
        client.Sandbox({"env": {"set": {"MODE": "before\ud800after"}}})
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    del caught
    gc.collect()
    assert os.listdir(place) == []


def test_set_escapes_what_yaml_has_escaped(client, degraded):
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        assert box.run(["printenv", "MODE"], set={"env.set": {"MODE": "a\x7fb"}}).stdout_text == "a\x7fb\n"


@pytest.mark.parametrize("option", [{"env": {"TOKEN": None}}, {"ro": [None]}, {"secret": {"k": None}}], ids=str)
def test_none_among_values_is_no_text(option):
    """`os.environ.get("TOKEN")` of a variable that is not set."""
    from sbx.options import flags
    with pytest.raises(ValueError, match="None stands among the values"):
        flags(option)


def test_a_terminal_is_no_input(client, degraded):
    """sbx would wait for the terminal, which listens to another group, until the time is up."""
    master, terminal = os.openpty()
    try:
        with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, open(terminal, "rb", closefd=False) as file:
            with pytest.raises(ValueError, match="read it yourself"):
                box.run(["head", "-n1"], input=file)
    finally:
        os.close(master)
        os.close(terminal)


def test_input_from_a_file_and_own_folder(client, degraded, tmp_path, open_folder):
    (tmp_path / "own").mkdir()
    (tmp_path / "in").write_text("from a file")
    with client.Sandbox(workspace=f"{tmp_path}/own:rw", degrade=["cgroup"] if degraded else []) as box, \
            open(tmp_path / "in", "rb") as file:
        assert box.run(["tee", "out"], input=file).stdout_text == "from a file"
        assert box.read_file("out") == b"from a file" and box.list_files() == ["out"]
    assert (tmp_path / "own" / "out").exists()  # yours stays


def test_check_and_explain(client, degraded, tmp_path):
    (tmp_path / "bad.yaml").write_text("version: 1\nlimts: {}\n")
    [problem] = client.check(tmp_path / "bad.yaml")
    assert (problem.line, problem.column) == (2, 1) and "limits" in problem.message
    assert client.check("python") == []
    with pytest.raises(client.SbxError, match="no profile is named"):
        client.check("no-such-profile")
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        assert box.explain(["true"])


def test_interrupt_ends_the_tree(client, tree, degraded):
    """KeyboardInterrupt, as Ctrl-C raises it in the main thread."""
    def interrupt(_):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, pytest.raises(KeyboardInterrupt):
        box.run(["sh", "-c", STUBBORN.format(tree)], on_stdout=interrupt)
    assert table.running_with(tree) == []
