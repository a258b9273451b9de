"""The Python client does what clients/behaviours.json says, by threads' means and by asyncio's."""
import asyncio
import contextlib
import os
import threading
import time
from decimal import Decimal
from fractions import Fraction
from concurrent.futures import ThreadPoolExecutor

import pytest

from clients import python_table as table
from support.waiting import wait_until

SECONDS = 20  # for a cancelled run to end
ASYNC = ("exit code of its own", "killed by SIGSEGV", "timeout of one run, in seconds", "profile that is not there",
         "check: a failing command is an error", "files out", "secrets are masked", "arguments of any text",
         "callbacks in the order of the output", "events", "large input and large output", "concurrent runs",
         "cancelling ends the tree", "closing ends the tree")


class Stop(Exception):
    """What a callback raises to end its run."""


def params(names=None):
    for case in table.CASES:
        if names is None or case["name"] in names:
            marks = [pytest.mark.needs(*case["needs"])] if "needs" in case else []
            yield pytest.param(case, id=case["name"], marks=marks)


@pytest.fixture
def environment(monkeypatch):
    def put(case):
        for name, value in case.get("caller_env", {}).items():
            monkeypatch.setenv(name, value)
    return put


@pytest.fixture
def moved(monkeypatch, tmp_path):
    """A `with` block in which the process is in a folder with the case's files; after it, it is in an empty one."""
    @contextlib.contextmanager
    def move(case):
        if "caller_files" not in case:
            yield
            return
        for path, text in case["caller_files"].items():
            place = tmp_path / "caller" / path
            place.parent.mkdir(parents=True)
            place.write_text(text)
        monkeypatch.chdir(tmp_path / "caller")
        yield
        (tmp_path / "empty").mkdir()
        monkeypatch.chdir(tmp_path / "empty")
    return move


@pytest.mark.parametrize("case", params())
def test_behaviour(client, case, tree, degraded, environment, moved):
    environment(case)
    with moved(case):
        made = client.Sandbox(**table.options(case, degraded))
    with made as box:
        for path, content in case.get("files", {}).items():
            box.write_file(path, table.data(content))
        heard = []
        run_case(client, box, case, tree, heard)
        table.judge_files(box, case["expect"])
        table.judge_heard(heard, case["expect"])
        for then in case.get("then", []):
            table.judge_result(box, box.run(then["argv"]), then["expect"])
    assert not box.workspace or os.path.exists(box.workspace) == ("caller_files" in case)


def run_case(client, box, case, tree, heard):
    words = table.argv(case, tree)
    given = {"input": table.data(case.get("input")), "check": case.get("check", False),
             "timeout": case.get("timeout"), **table.callbacks(case, heard)}
    if "close_at" in case:
        close(client, box, words, case, tree)
    elif "error" in case["expect"]:
        with pytest.raises((client.SbxError, client.CommandFailed)) as caught:
            box.run(words, **given)
        assert isinstance(caught.value, client.CommandFailed) == case.get("check", False)
        table.judge_error(caught.value, case["expect"]["error"])
    elif "cancel_at" in case:
        def stop(text):
            if case["cancel_at"].encode() in text:
                raise Stop
        with pytest.raises(Stop):
            box.run(words, timeout=SECONDS, on_stdout=stop)
    elif "concurrent" in case:
        def one(number):
            return box.run([word.replace("$N", str(number)) for word in words])
        with ThreadPoolExecutor(case["concurrent"]) as pool:
            judge_all(list(pool.map(one, range(case["concurrent"]))), case["expect"]["all"])
    else:
        table.judge_result(box, box.run(words, **given), case["expect"])


def close(client, box, words, case, tree):
    """Closes it beside a run that has said `close_at`; when that returns nothing of it runs any more."""
    said = threading.Event()

    def look(text):
        if case["close_at"].encode() in text:
            said.set()

    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(box.run, words, timeout=2 * SECONDS, on_stdout=look)
        assert said.wait(SECONDS)
        wait_until(lambda: table.running_with(tree), "nothing runs that could be ended", SECONDS)
        begun = time.monotonic()
        box.close()
        assert table.running_with(tree) == []
        with pytest.raises(client.SbxError) as caught:
            run.result(SECONDS)
        assert time.monotonic() - begun < SECONDS
    table.judge_error(caught.value, case["expect"]["error"])


@pytest.mark.parametrize("case", table.NUMBERS, ids=lambda case: f"{case['option']} {case['value']}")
def test_number_that_is_none(client, case):
    wrong = {case["option"]: table.number(case["value"])}
    def refused(act):
        with pytest.raises(ValueError) as caught:
            act()
        assert all(text in str(caught.value).lower() for text in case["message"]), caught.value
    refused(lambda: client.Sandbox(workspace="none", **wrong))
    with client.Sandbox(workspace="none") as box:
        box.binary = "/no/such/sbx"
        refused(lambda: box.run(["true"], **wrong))
        refused(lambda: asyncio.run(client.AsyncSandbox.of(box).run(["true"], **wrong)))


@pytest.mark.parametrize("value, word", [(0.0001, "1ms"), (Fraction(1, 3), "334ms"), (Decimal("0.25"), "250ms"), (2, "2000ms"),
                                         ("1.5s", "1.5s"), ("none", "none")])
def test_times_are_whole_milliseconds(value, word):
    from sbx import options
    assert options.flags({"timeout": value, "memory": 1e6}) == [f"--timeout={word}", "--memory=1000000B"]


def judge_all(results, want):
    for number, result in enumerate(results):
        assert result.stdout_text == want["stdout"].replace("$N", str(number))
    assert len({result.id for result in results}) == len(results)


@pytest.mark.parametrize("case", params(ASYNC))
def test_behaviour_with_asyncio(client, case, tree, degraded, environment):
    environment(case)
    asyncio.run(asyncio.wait_for(run_async(client, case, tree, degraded), 60))
    assert [thread for thread in threading.enumerate() if thread.name == "sbx-run"] == []


async def run_async(client, case, tree, degraded):
    async with client.AsyncSandbox(**table.options(case, degraded)) as box:
        for path, content in case.get("files", {}).items():
            await box.write_file(path, table.data(content))
        heard, words = [], table.argv(case, tree)
        given = {"input": table.data(case.get("input")), "check": case.get("check", False),
                 "timeout": case.get("timeout"), **table.callbacks(case, heard)}
        if "close_at" in case:
            with pytest.raises(client.SbxError) as caught:
                await stop(box, words, case["close_at"].encode(), tree, lambda task: box.close())
            table.judge_error(caught.value, case["expect"]["error"])
            return
        if "error" in case["expect"]:
            with pytest.raises((client.SbxError, client.CommandFailed)) as caught:
                await box.run(words, **given)
            table.judge_error(caught.value, case["expect"]["error"])
        elif "cancel_at" in case:
            await cancel(box, words, case["cancel_at"].encode(), tree)
        elif "concurrent" in case:
            numbers = range(case["concurrent"])
            runs = [box.run([word.replace("$N", str(number)) for word in words]) for number in numbers]
            judge_all(await asyncio.gather(*runs), case["expect"]["all"])
        else:
            table.judge_result(box.sandbox, await box.run(words, **given), case["expect"])
        table.judge_files(box.sandbox, case["expect"])
        table.judge_heard(heard, case["expect"])
        for then in case.get("then", []):
            table.judge_result(box.sandbox, await box.run(then["argv"]), then["expect"])


async def cancel(box, words, at, tree):
    async def end(task):
        task.cancel()
        await asyncio.wait([task])

    with pytest.raises(asyncio.CancelledError):
        await stop(box, words, at, tree, end)


async def stop(box, words, at, tree, end):
    """Ends a run that has said `at`; when `end` returns nothing of it runs any more."""
    seen = asyncio.Event()

    async def look(text):  # a coroutine function is a callback, too
        if at in text:
            seen.set()

    task = asyncio.create_task(box.run(words, on_stdout=look))
    await asyncio.wait_for(seen.wait(), SECONDS)
    await asyncio.to_thread(wait_until, lambda: table.running_with(tree), "nothing runs that could be ended", SECONDS)
    await asyncio.wait_for(end(task), SECONDS)
    assert table.running_with(tree) == []
    await asyncio.wait_for(task, SECONDS)


def test_whatever_a_sandbox_does_it_does_from_where_it_was_made(client, degraded, monkeypatch, tmp_path):
    for name in ("data", "other"):
        (tmp_path / "a" / name).mkdir(parents=True)
    words = {"degrade": ["cgroup"]} if degraded else {}
    monkeypatch.chdir(tmp_path / "a")
    with client.Sandbox(workspace="data:rw", collect=["/workspace/*"], **words) as box:
        monkeypatch.chdir(tmp_path / "a" / "other")
        seen = []
        result = box.run(["sh", "-c", "echo 1 > f; echo said"], on_stdout=seen.append, ro=["data:/mnt"])
        assert result.ok and seen == [b"said\n"] and (tmp_path / "a" / "data" / "f").read_text() == "1\n"
        box.save_artifacts(result, "out")
        assert (tmp_path / "a" / "out" / "workspace" / "f").read_text() == "1\n" and os.listdir() == []
        assert str(tmp_path / "a" / "data") in str(box.explain(["true"])["steps"])
        (tmp_path / "a").rename(tmp_path / "b")
        for act in (lambda: box.run(["true"]), box.explain):
            with pytest.raises(client.SbxError, match=f"^the folder .* cannot be entered: {tmp_path}/a: No such file or directory$"):
                act()


def test_a_sandbox_can_be_made_where_no_folder_is(client, degraded, monkeypatch, tmp_path):
    words = {"degrade": ["cgroup"]} if degraded else {}
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with client.Sandbox(**words) as box:
        monkeypatch.chdir("/")
        assert box.run(["true"]).ok


def test_where_the_folder_of_both_has_gone_it_is_said(client, degraded, monkeypatch, tmp_path):
    """Of whatever has no folder, its own shell complains as well."""
    words = {"degrade": ["cgroup"]} if degraded else {}
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    with client.Sandbox(**words) as box:
        (tmp_path / "gone").rmdir()
        for act in (lambda: box.run(["true"]), box.explain):
            with pytest.raises(client.SbxError, match=f"^the folder .* cannot be entered: {tmp_path}/gone: No such file or directory$"):
                act()
