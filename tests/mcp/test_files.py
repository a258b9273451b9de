"""The files that calls share: read, written and listed beside hostile commands, and never anything else's."""
import base64
import os

import pytest

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def read(client, path, **part):
    result = client.call("read_file", path=path, **part)
    assert not result["isError"], result
    return result["structuredContent"]


def test_what_is_written_is_read_and_seen_by_commands(client):
    assert client.call("write_file", path="a/b/c.txt", text="one\ntwo\nthr\u00e9e\n")["structuredContent"]["replaced"] is False
    assert client.call("write_file", path="/workspace/a/run.sh", text="#!/bin/sh\necho ran\n", executable=True)
    assert client.shell("cat a/b/c.txt; a/run.sh")["stdout"]["text"] == "one\ntwo\nthr\u00e9e\nran\n"
    assert client.call("write_file", path="./a//b/c.txt", text="new")["structuredContent"]["replaced"] is True
    assert read(client, "a/b/c.txt")["text"] == "new"
    assert client.shell("echo more >> a/b/c.txt; stat -c %a a/run.sh")["stdout"]["text"] == "755\n"
    assert read(client, "/workspace/a/b/c.txt")["text"] == "newmore\n"


def test_a_part_of_a_file(client):
    client.call("write_file", path="t", text="".join(f"line {i}\n" for i in range(1, 101)))
    assert read(client, "t", first_line=99)["text"] == "line 99\nline 100\n"
    assert read(client, "t", first_line=2, lines=2)["text"] == "line 2\nline 3\n"
    assert read(client, "t", first_line=1000)["text"] == ""
    assert read(client, "t", offset=5, length=3) == {"path": "t", "size": 792, "offset": 5, "bytes": 3, "whole": False, "text": "1\nl"}
    assert read(client, "t", offset=9999)["bytes"] == 0
    client.call("write_file", path="u", text="\u20ac" * 10)
    assert read(client, "u", length=4)["text"] == "\u20ac"  # cut between two characters
    assert "do not go together" in client.refused("read_file", path="t", lines=1, offset=1)


@pytest.mark.parametrize("tool, name, value", [("read_file", "first_line", 0), ("read_file", "lines", 0),
                                               ("read_file", "length", 0), ("read_file", "offset", -1),
                                               ("read_file", "length", 1.5), ("read_file", "offset", 1e30),
                                               ("read_file", "length", "1"), ("list_files", "depth", 0),
                                               ("list_files", "depth", 65), ("run_shell", "pids", 0)])
def test_a_number_is_one_that_the_schema_takes(client, tool, name, value):
    given = {"read_file": {"path": "t"}, "list_files": {}, "run_shell": {"script": "true"}}[tool]
    client.call("write_file", path="t", text="x\n")
    least = 0 if name == "offset" else 1
    assert f"`{name}` has to be a whole number from {least} to " in client.refused(tool, **given, **{name: value})


def test_a_whole_number_may_be_written_with_a_point(client):
    """To the schema it is an integer then, too."""
    client.call("write_file", path="t", text="one\ntwo\nthree\n")
    assert read(client, "t", first_line=2.0, lines=1.0)["text"] == "two\n"
    assert read(client, "t", offset=-0.0, length=1e0)["text"] == "o"
    assert client.call("list_files", depth=1.0)["isError"] is False
    assert client.shell("true", pids=20.0)["status"] == "ok"


def test_bytes_large_files_and_holes(client):
    client.call("write_file", path="b", base64=base64.b64encode(bytes(range(256))).decode())
    assert base64.b64decode(read(client, "b")["base64"]) == bytes(range(256))
    client.call("write_file", path="nul", text="a\0b")
    assert read(client, "nul")["text"] == "a\0b"
    client.shell("truncate -s 100M hole; yes | head -c 3000000 > big")
    part = read(client, "big")
    assert part["bytes"] == 1 << 20 and part["whole"] is False and part["size"] == 3000000
    assert read(client, "hole", length=8)["bytes"] == 8


def test_an_image_comes_back_as_one(client):
    client.call("write_file", path="plot.png", base64=base64.b64encode(PNG).decode())
    [shown] = client.call("read_file", path="plot.png")["content"]
    assert shown == {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}


OUTSIDE = ["/etc/passwd", "../outside", "a/../../outside", "/workspace/../outside", "..", "/", "//etc/passwd"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out(client, project, path):
    (project.parent / "outside").write_text("not for clients")
    for tool, more in (("read_file", {}), ("write_file", {"text": "x"}), ("list_files", {})):
        text = client.refused(tool, path=path, **more)
        assert "not for clients" not in text
    assert (project.parent / "outside").read_text() == "not for clients"


def test_a_path_is_no_longer_than_one_can_be(client):
    assert not client.call("write_file", path="d/" * 99 + "f", text="x")["isError"]
    before = client.call("list_files", depth=64)["structuredContent"]
    for path in ("e/" * 100 + "f", "e/" * 500_000 + "f", "e" * 5000, "./" * 5000 + "f"):
        for tool, more in (("write_file", {"text": "x"}), ("read_file", {}), ("list_files", {})):
            text = client.refused(tool, path=path, **more)
            assert ("100 folders" in text or "4095 bytes, and not" in text) and len(text) < 5000
    assert client.call("list_files", depth=64)["structuredContent"] == before


PLANTED = """
ln -s /etc/passwd link; ln -s /etc etc; ln -s . here; ln -s ../../../../../../../../etc up; ln -s /proc/self/environ env
mkfifo fifo; mkdir sub; ln -s %s sub/out; ln -s app.py inner; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
"""


@pytest.mark.parametrize("path", ["link", "etc/passwd", "here/app.py", "up/passwd", "env", "fifo", "sub/out/secret", "inner"])
def test_links_that_a_command_has_planted_lead_nowhere(client, project, path):
    secret = project.parent / "secret"
    secret.write_text("not for clients")
    client.shell(PLANTED % project.parent)
    assert "root:" not in client.refused("read_file", path=path)
    client.refused("write_file", path=path, text="x")
    if "/" in path:
        client.refused("list_files", path=path.rpartition("/")[0])
        client.refused("write_file", path=path.rpartition("/")[0] + "/made", text="x")
    assert secret.read_text() == "not for clients" and not (project.parent / "made").exists()
    listed = {one["path"]: one for one in client.call("list_files")["structuredContent"]["files"]}
    assert listed["link"] == {"path": "link", "kind": "symlink", "target": "/etc/passwd"}
    assert listed["etc"]["kind"] == "symlink" and not any(name.startswith(("etc/", "here/", "up/")) for name in listed)
    # A folder of the project is read as before: the refusals are about links.
    assert read(client, "data/in.csv")["text"] == "1,2\n"


def test_a_name_is_one_line_of_the_list(client):
    client.shell("touch \"$(printf 'a\\nforged\\033[2J')\"; ln -s \"$(printf 'to\\nforged')\" link")
    result = client.call("list_files")
    [text] = [one["text"] for one in result["content"]]
    assert "\x1b" not in text and len(text.splitlines()) == 5 and not any(line.startswith("forged") for line in text.splitlines())
    assert {"a\nforged\x1b[2J", "link"} < {one["path"] for one in result["structuredContent"]["files"]}


@pytest.mark.parametrize("mode", ["rw", "overlay"])
def test_a_link_swapped_in_while_we_look_is_not_followed(serve, project, mode):
    client = serve("python", "--workspace", f"{project}:{mode}")
    swap = "mkdir -p d; echo in > d/f; i=0; while [ $i -lt 400 ]; do mv d e; ln -s /etc d; rm d; mv e d; i=$((i+1)); done"
    number = client.start("run_shell", script=swap)
    while number not in client.answers:
        result = client.call("read_file", path="d/passwd")
        assert result["isError"] and "root:" not in str(result)
        client.call("write_file", path="d/sbx-was-here", text="x")
    assert not os.path.exists("/etc/sbx-was-here")


def test_what_the_profile_masks_is_not_there(serve, project):
    (project / ".env").write_text("SECRET=1")
    (project / "data" / "key.pem").write_text("SECRET=2")
    for mode in ("overlay", "ro", "rw"):
        client = serve("python", "--workspace", f"{project}:{mode}", "--mask", "/workspace/.env", "--mask", "/workspace/**/*.pem")
        for path in (".env", "data/key.pem", "./data//key.pem"):
            assert "mask" in client.refused("read_file", path=path)
            client.refused("write_file", path=path, text="mine")
        names = {one["path"] for one in client.call("list_files")["structuredContent"]["files"]}
        assert names == {"app.py", "data", "data/in.csv"}
        kept = client.call("collect_artifacts", patterns=["**"])["structuredContent"]["artifacts"]
        assert {one["path"] for one in kept} == {"/workspace/app.py", "/workspace/data/in.csv"}
        assert "SECRET" not in str(client.shell("cat .env data/key.pem 2>&1 || true"))
        if mode == "overlay":
            client.shell("mv data moved; rm -f .env; true")
            assert "SECRET" not in str(client.call("diff"))
        assert (project / ".env").read_text() == "SECRET=1" and (project / "data" / "key.pem").read_text() == "SECRET=2"


def test_what_the_profile_shows_there_instead_is_not_read_behind_its_back(serve, project, tmp_path):
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "f").write_text("shown")
    (project / "data" / "f").write_text("covered")
    client = serve("python", "--workspace", f"{project}:rw", "--ro", f"{tmp_path}/shown:/workspace/data")
    assert client.shell("cat data/f")["stdout"]["text"] == "shown"
    assert "mounts" in client.refused("read_file", path="data/f") and "mounts" in client.refused("write_file", path="data/g", text="x")
    assert "data" not in {one["path"] for one in client.call("list_files")["structuredContent"]["files"]}


def test_read_only_is_said_by_name(serve, project):
    client = serve("python", "--workspace", f"{project}:ro")
    assert "workspace.mode ro" in client.refused("write_file", path="x", text="y")
    assert client.call("run_shell", script="echo x > app.py")["structuredContent"]["exit_code"] != 0
    assert read(client, "app.py")["text"] == "print('hello')\n"
    assert "workspace.mode" in client.refused("diff")


def test_a_writable_folder_changes_at_once(serve, project):
    client = serve("python", "--workspace", f"{project}:rw")
    client.call("write_file", path="made/x.txt", text="y")
    assert (project / "made" / "x.txt").read_text() == "y"
    client.shell("echo z > made/z.txt")
    assert (project / "made" / "z.txt").read_text() == "z\n" and read(client, "made/z.txt")["text"] == "z\n"
    assert "sbx-write" not in str(list(project.rglob("*")))


@pytest.mark.needs("root")
def test_root_reads_no_more_than_a_command_could(serve, project):
    (project / "private").write_text("of another user")
    os.chown(project / "private", 4242, 4242)
    (project / "private").chmod(0o600)
    for mode in ("ro", "overlay"):
        client = serve("python", "--workspace", f"{project}:{mode}")
        assert "of another user" not in str(client.shell("cat private || true"))
        assert "of another user" not in client.refused("read_file", path="private")
        assert not client.call("collect_artifacts", patterns=["private"])["structuredContent"]["artifacts"]


def test_more_than_the_workspace_may_hold_is_refused(serve, project):
    client = serve("python", "--workspace", f"{project}:overlay", "--set", "workspace.size=1M")
    text = "x" * 700_000
    client.call("write_file", path="a", text=text)
    assert "workspace.size" in client.refused("write_file", path="b", text=text)
    full = client.call("run_shell", script="head -c 700000 /dev/zero > c")["structuredContent"]
    assert full["changes"]["kept"] is False and "workspace.size" in str(full["warnings"])
    assert "c" not in {one["path"] for one in client.call("list_files")["structuredContent"]["files"]}
    (project / "large").write_bytes(b"x" * (2 << 20))
    begun = client.sbx.call("mcp", "python", "--workspace", f"{project}:overlay", "--set", "workspace.size=1M",
                            *client.sbx.degraded)
    begun.assert_refused("workspace.size")


def test_collected_files_are_resources(client):
    client.call("write_file", path="out/plot.png", base64=base64.b64encode(PNG).decode())
    client.call("write_file", path="out/a b%.csv", text="x,y\n")
    assert client.request("resources/list")["resources"] == []
    kept = client.call("collect_artifacts", patterns=["out/*"])
    assert [one["type"] for one in kept["content"]] == ["text", "resource_link", "resource_link", "image"]
    assert kept["content"][-1]["mimeType"] == "image/png" and base64.b64decode(kept["content"][-1]["data"]) == PNG
    client.shell("rm -r out")  # they stay all the same
    listed = {one["name"]: one for one in client.request("resources/list")["resources"]}
    assert set(listed) == {"/workspace/out/plot.png", "/workspace/out/a b%.csv"}
    [image] = client.request("resources/read", uri=listed["/workspace/out/plot.png"]["uri"])["contents"]
    assert base64.b64decode(image["blob"]) == PNG and image["mimeType"] == "image/png"
    [table] = client.request("resources/read", uri=listed["/workspace/out/a b%.csv"]["uri"])["contents"]
    assert table["text"] == "x,y\n"
    assert client.request("resources/templates/list")["resourceTemplates"][0]["uriTemplate"].startswith("sbx://artifact/")
    assert client.sbx.call("artifacts", "verify").code == 0


def test_what_the_profile_collects_comes_with_the_run(serve, project):
    client = serve("python", "--workspace", f"{project}:overlay", "--collect", "/workspace/*.png")
    client.call("write_file", path="seed", base64=base64.b64encode(PNG).decode())
    result = client.call("run_shell", script="cp seed chart.png")
    assert [one["type"] for one in result["content"]][-2:] == ["resource_link", "image"]
    [kept] = result["structuredContent"]["artifacts"]
    assert kept["path"] == "/workspace/chart.png" and client.request("resources/read", uri=kept["uri"])["contents"][0]["blob"]


def test_a_session_that_runs_nothing_keeps_nothing(serve, sbx, project):
    client = serve("python", "--workspace", f"{project}:overlay", "--collect", "/workspace/**")
    assert sbx.call("artifacts", "ls").out.count("\n") <= 1
    client.shell("true")  # and each run what the profile says
    assert "app.py" in sbx.call("artifacts", "ls").out


def test_other_sessions_artifacts_are_not_there(serve, client):
    client.call("write_file", path="mine", text="of the first session")
    [kept] = client.call("collect_artifacts", patterns=["mine"])["structuredContent"]["artifacts"]
    other = serve("python")
    assert other.request("resources/list")["resources"] == []
    assert other.error("resources/read", uri=kept["uri"])["code"] == -32002


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "a/../../*", "/workspace/../*", "", "/"])
def test_a_pattern_of_elsewhere_collects_nothing_from_there(client, pattern):
    result = client.call("collect_artifacts", patterns=[pattern])
    found = [] if result["isError"] else result["structuredContent"]["artifacts"]
    assert all(one["path"] in ("/workspace/app.py", "/workspace/data/in.csv") for one in found)


def test_no_more_is_kept_than_the_profile_allows(serve, project):
    client = serve("python", "--set", "artifacts.max=1M", "--set", "artifacts.max_files=3")
    client.shell("head -c 600000 /dev/urandom > a; head -c 600000 /dev/urandom > b; echo c > c; echo d > d; echo e > e")
    first = client.call("collect_artifacts", patterns=["a", "b"])["structuredContent"]
    assert len(first["artifacts"]) == 1 and "artifacts.max" in str(first["warnings"])
    second = client.call("collect_artifacts", patterns=["c", "d", "e"])["structuredContent"]
    assert len(second["artifacts"]) == 2 and "max_files" in str(second["warnings"])
    assert "artifacts.max_files: 3" in client.refused("collect_artifacts", patterns=["e"])
