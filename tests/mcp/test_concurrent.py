"""Calls at the same time: nothing that one has done is undone by another that began before, and did not do that.

A slow one has begun before the quick ones, and ends after them."""
import pytest

from changes.test_copy import WRAPPER


@pytest.fixture
def nested(sbx, state, tmp_path, monkeypatch):
    """Runs get a copy of the workspace, as the session's folder lies where overlayfs refuses it."""
    wrapper = tmp_path / "sbx-nested"
    wrapper.write_text(WRAPPER.replace("run) ;;", "mcp) ;;"))
    wrapper.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    state.mkdir()
    for name, value in (("SBX", sbx.binary), ("TMPDIR", tmp_path / "tmp"), ("TOP", state)):
        monkeypatch.setenv(name, str(value))
    sbx.binary = str(wrapper)


# What is root's cannot be id-mapped in there, and no command may read it.
@pytest.fixture(params=["overlay", pytest.param("copy", marks=pytest.mark.needs("overlay", "user"))])
def both(request, serve, project, tmp_path):
    """both(SLOW, QUICK...): what became of the changes of the first, and the client, whose session they were of."""
    degraded = []
    if request.param == "copy":
        request.getfixturevalue("nested")
        degraded = ["--degrade", "overlay"]
    gate = tmp_path / "gate"
    gate.mkdir()
    client = serve("python", "--workspace", f"{project}:overlay", "--keep", "apply", "--ro", f"{gate}:/gate", *degraded)

    def run(slow, *quick):
        until_then = "until [ -e /gate/open ]; do sleep 0.05; done"
        number = client.start("run_shell", progress="slow", script=f"{slow}; echo be''gun; {until_then}")
        client.wait_for_note("begun")
        for one in quick:
            if isinstance(one, dict):
                assert client.call("write_file", **one)["isError"] is False
            else:
                assert client.shell(one)["changes"]["kept"]
        (gate / "open").touch()
        late = client.response(number)["result"]["structuredContent"]
        assert ("overlay" in late["degraded"]) == (request.param == "copy")
        return late["changes"], client

    return run


def names(client):
    return {one["path"] for one in client.call("list_files")["structuredContent"]["files"]}


def conflicts(changes):
    return [one["path"] for one in changes["conflicts"]]


def test_what_one_has_deleted_stays_deleted(both):
    late, client = both("echo x > mine", "rm app.py; rm -r data; echo y > yours")
    assert late["kept"] is True and names(client) == {"mine", "yours"}


def test_also_where_the_other_has_touched_it(both):
    late, client = both("touch app.py data; chmod 600 app.py; chmod 644 app.py; echo x > mine", "rm -r app.py data")
    assert late["kept"] is True and names(client) == {"mine"}


def test_what_one_has_deleted_and_the_other_changed_is_a_conflict(both):
    late, client = both("echo x >> app.py; echo x > mine", "rm app.py")
    assert late["kept"] is False
    assert late["conflicts"] == [{"path": "app.py", "why": "another call has changed it since this one began"}]
    assert names(client) == {"data", "data/in.csv"}


def test_what_is_new_in_a_folder_that_is_deleted_is_a_conflict(both):
    late, client = both("echo x > data/new", "rm -r data")
    assert late["kept"] is False and conflicts(late) == ["data/new"]
    assert names(client) == {"app.py"}


@pytest.mark.parametrize("change", ["echo x >> data/in.csv", "rm data/in.csv; echo x > data/in.csv"])
@pytest.mark.parametrize("delete", ["rm data/in.csv", "rm -r data", "rm -r data; echo x > data"])
def test_what_one_has_changed_and_the_other_deleted_is_a_conflict(both, delete, change):
    late, client = both(delete, change)
    assert late["kept"] is False and "data/in.csv" in conflicts(late), late
    assert client.shell("cat data/in.csv")["stdout"]["text"].endswith("x\n")


def test_a_folders_mode_stays_what_one_has_made_it(both):
    late, client = both("echo x > data/new", "chmod 700 data")
    assert late["kept"] is True, late
    assert client.shell("stat -c %a data; cat data/new")["stdout"]["text"] == "700\nx\n"


def test_two_modes_of_one_folder_are_a_conflict(both):
    late, client = both("chmod 711 data", "chmod 700 data")
    assert late["kept"] is False and conflicts(late) == ["data"]
    assert client.shell("stat -c %a data")["stdout"]["text"] == "700\n"


def test_a_folder_that_both_have_made_is_one_if_they_agree(both):
    late, client = both("mkdir made; echo x > made/x", "mkdir made; echo y > made/y")
    assert late["kept"] is True and {"made/x", "made/y"} <= names(client), late


def test_and_a_conflict_if_not(both):
    late, client = both("mkdir -m 711 made", "mkdir -m 700 made")
    assert late["kept"] is False and conflicts(late) == ["made"]
    assert client.shell("stat -c %a made")["stdout"]["text"] == "700\n"


def test_what_others_have_made_and_removed_again_is_nothing(both):
    late, client = both("echo mine > made; chmod 711 data", "echo yours > made; chmod 700 data", "rm made; chmod 755 data")
    assert late["kept"] is True and client.shell("cat made; stat -c %a data")["stdout"]["text"] == "mine\n711\n"


def test_what_only_one_has_changed_is_kept(both):
    late, client = both("echo mine > mine; rm app.py", "echo x >> data/in.csv; echo yours > yours")
    assert late["kept"] is True, late
    assert names(client) == {"mine", "yours", "data", "data/in.csv"}
    assert client.shell("cat data/in.csv")["stdout"]["text"] == "1,2\nx\n"


def test_a_later_call_may_bring_it_back(both):
    late, client = both("echo x > mine", "rm app.py")
    assert late["kept"] is True
    assert client.shell("echo again > app.py")["changes"]["kept"] is True and "app.py" in names(client)


# What write_file puts there meanwhile is as another call's.
NEW = {"path": "app.py", "text": "new\n"}


def test_a_file_that_is_written_meanwhile_is_no_change_of_a_run(both):
    late, client = both("echo x > mine", NEW, {"path": "deep/er/new", "text": "new\n"}, {"path": "data/in.csv", "text": ""})
    assert late["kept"] is True and (late["added"], late["conflicts"]) == (1, []), late
    assert names(client) == {"app.py", "data", "data/in.csv", "deep", "deep/er", "deep/er/new", "mine"}
    assert client.shell("cat app.py deep/er/new data/in.csv")["stdout"]["text"] == "new\nnew\n"


@pytest.mark.parametrize("change", ["echo x >> app.py", "rm app.py", "rm app.py; mkdir app.py"])
def test_what_a_run_has_changed_as_well_is_a_conflict(both, change):
    late, client = both(f"{change}; echo x > mine", NEW)
    assert late["kept"] is False and "app.py" in conflicts(late), late
    assert client.shell("cat app.py; ls")["stdout"]["text"] == "new\napp.py\ndata\n"


def test_what_both_have_made_is_a_conflict(both):
    late, client = both("mkdir deep; echo x > deep/new", {"path": "deep/new", "text": "new\n"})
    assert late["kept"] is False and conflicts(late) == ["deep/new"]
    assert client.shell("cat deep/new")["stdout"]["text"] == "new\n"


def test_a_folder_that_both_have_made_is_one(both):
    late, client = both("mkdir deep; echo x > deep/mine", {"path": "deep/new", "text": "new\n"})
    assert late["kept"] is True and {"deep/mine", "deep/new"} <= names(client), late
