"""Node and npm."""
import pytest

from support.profiles import with_tools

NODE = with_tools("node", "node", "npm")
pytestmark = pytest.mark.needs("program:node")


def test_node_library(inside, project):
    assert inside(NODE, project("node"), "node", "work.js").out == "node fine\n"


def test_profile_node_alone_finds_node(sbx):
    assert sbx.run("node", cmd=["node", "-p", "6 * 7"]).assert_ok().out == "42\n"


@pytest.mark.needs("program:npm")
def test_npm_run(inside, project):
    run = inside(NODE, project("node"), "npm", "run", "work")
    assert "node fine" in run.out


@pytest.mark.needs("program:npm")
def test_npm_test_with_nodes_own_runner(inside, project):
    assert "pass 2" in inside(NODE, project("node"), "npm", "test").out


@pytest.mark.needs("program:npm")
def test_npm_installs_a_package_without_network(inside, project):
    folder = project("node")
    inside(NODE, folder, "npm", "install", "--offline", "--no-audit", "--no-fund", "--install-links",
           "./local/greeting", mode="rw")
    assert (folder / "node_modules" / "greeting" / "index.js").is_file()
    assert "hello from a package" in inside(NODE, folder, "npm", "run", "greet").out
