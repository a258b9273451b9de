"""workspace.size: a session holds no more, wherever its commands hide it, and what makes it smaller is always taken."""
import pytest


@pytest.fixture
def small(serve, project):
    """Of 4 MiB, and so of 4096 names."""
    return serve("python", "--workspace", f"{project}:overlay", "--set", "workspace.size=4M")


def kept(client, script):
    """Whether the next call sees what this one changes; if not, why."""
    run = client.shell(script)
    return run["changes"]["kept"] or " ".join(run["warnings"])


def test_names_are_counted_and_can_be_given_back(small):
    assert kept(small, "mkdir n; for i in $(seq 3000); do : > n/f$i; done") is True
    assert "4096 names" in kept(small, "mkdir m; for i in $(seq 1500); do : > m/f$i; done")
    assert small.shell("ls | wc -l; ls n | wc -l")["stdout"]["text"] == "3\n3000\n"
    assert kept(small, "for i in $(seq 1090); do : > x$i; done") is True
    assert "names" in small.refused("write_file", path="a/b/c/d", text="")
    assert kept(small, "rm -r n") is True
    assert small.call("write_file", path="a/b/c/d", text="")["isError"] is False


def test_what_replaces_something_takes_its_place(small):
    assert kept(small, "head -c 3000000 /dev/zero | tr '\\0' a > big") is True
    assert kept(small, "head -c 3000000 /dev/zero | tr '\\0' b > big") is True
    assert small.call("write_file", path="big", text="c" * 3_000_000)["structuredContent"]["replaced"] is True
    assert "more than 4M" in kept(small, "head -c 3000000 /dev/zero | tr '\\0' a > other")
    assert "more than 4M" in small.refused("write_file", path="other", text="d" * 3_000_000)
    assert kept(small, "mv big other") is True
    assert kept(small, "rm other") is True
    assert small.call("write_file", path="big", text="c" * 3_000_000)["isError"] is False


def test_a_hole_is_no_room_for_later(small):
    for name in "abc":
        assert kept(small, f"truncate -s 3000000 {name}") is True
    assert kept(small, "head -c 3000000 /dev/zero | tr '\\0' a > a") is True
    assert "more than 4M" in kept(small, "head -c 3000000 /dev/zero | tr '\\0' b > b")


@pytest.mark.parametrize("hide", ["d=.; for i in $(seq 600); do d=$d/d; done; mkdir -p $d; fill > $d/f",
                                  "mkdir -p d/e; fill > d/e/f; chmod 0 d/e d"], ids=["deep", "closed"])
def test_what_cannot_be_looked_into_is_no_room_either(small, hide):
    fill = "fill() { head -c 3000000 /dev/zero | tr '\\0' a; }; "
    assert kept(small, fill + hide) is True
    why = kept(small, fill + "fill > other")
    assert ("too deep" in why) == ("seq" in hide) and ("more than 4M" in why) == ("seq" not in hide)
    assert kept(small, "rm -r d") is True
    assert kept(small, fill + "fill > other") is True


def test_a_closed_folder_is_open_to_the_next_call(small):
    run = small.shell("mkdir -p a/b; echo x > a/b/f; chmod 0 a/b a")
    assert run["changes"]["kept"] is True
    [warning] = run["warnings"]
    assert "closed to its owner" in warning and "a, and 1 more" in warning
    assert small.shell("cat a/b/f; rm -r a; ls")["stdout"]["text"] == "x\napp.py\ndata\n"
    assert small.call("diff")["structuredContent"]["changes"] == []


@pytest.mark.needs("user")  # root passes every mode
@pytest.mark.parametrize("mode", [0o000, 0o644, 0o311])
def test_a_folder_that_is_closed_is_left_out_and_counts_as_one(serve, project, mode):
    closed = project / "data" / "closed"
    closed.mkdir()
    for number in range(2000):
        (closed / str(number)).touch()
    closed.chmod(mode)
    try:
        client = serve("python", "--workspace", f"{project}:overlay", "--set", "workspace.size=1M")  # 1024 names
        assert client.shell("ls data")["stdout"]["text"] == "in.csv\n"
        assert client.call("diff")["structuredContent"]["changes"] == []
    finally:
        closed.chmod(0o755)
