// tools: finds what the host really runs, and shows no more than that.
#include <doctest/doctest.h>

#include "os/tools_install.hpp"
#include "os/tools_path.hpp"
#include "tools_scene.hpp"

using namespace sbx::test;
using sbx::HostFacts;
using sbx::ToolInstallation;
using sbx::os::find_tool;

TEST_CASE("a program of the host root needs nothing shown and no PATH") {
  const TempTree tree;
  const ToolInstallation tool = find_tool("sh", caller(tree, {}));
  CHECK(tool.problem.empty());
  CHECK(tool.trees.empty());
  CHECK(tool.path.empty());
}

TEST_CASE("a missing tool is a sentence, with or without the mark of an optional one") {
  const TempTree tree;
  CHECK(find_tool("no-such-tool", caller(tree, {})).problem ==
        "no-such-tool was not found in PATH");
  const ToolInstallation optional = find_tool("no-such-tool?", caller(tree, {}));
  CHECK(optional.name == "no-such-tool?");
  CHECK(optional.problem == "no-such-tool was not found in PATH");
  CHECK_FALSE(find_tool("", caller(tree, {})).problem.empty());
  CHECK_FALSE(find_tool("?", caller(tree, {})).problem.empty());
  CHECK_FALSE(find_tool("../x", caller(tree, {})).problem.empty());
}

TEST_CASE("a host program is refused where the root does not show the host's /usr") {
  const TempTree tree;
  HostFacts facts = caller(tree, {});
  facts.root_entries.clear();
  const ToolInstallation tool = find_tool("sh", facts);
  CHECK(tool.problem.contains("which this root does not show"));
  CHECK(tool.advice == "leave it out if the root or a mount has one of its own, use --root host");
}

TEST_CASE("a tool that is missing is to be installed where the root can show it") {
  const TempTree tree;
  HostFacts facts = caller(tree, {});
  CHECK(find_tool("no-such-tool", facts).advice.empty());
  facts.root_entries.clear();
  CHECK(find_tool("no-such-tool", facts).advice.starts_with("install it on PATH, outside of /usr"));
}

TEST_CASE("no folder that holds more than one installation is ever shown") {
  const TempTree tree;
  HostFacts facts =
      caller(tree, {"home/bin", "home/go/bin", "home/.local/bin", "home/project/bin"});
  for (const char* folder : {"home/lib", "home/go/lib", "home/.local/lib"}) tree.folder(folder);
  for (const char* program :
       {"home/bin/one", "home/go/bin/two", "home/.local/bin/three", "home/project/bin/four"})
    tree.program(program);
  CHECK(shown(find_tool("one", facts)) == Paths{tree.path("home/bin/one")});
  CHECK(shown(find_tool("two", facts)) == Paths{tree.path("home/go/bin/two")});
  CHECK(shown(find_tool("three", facts)) == Paths{tree.path("home/.local/bin/three")});
  CHECK(shown(find_tool("four", facts)) == Paths{tree.path("home/project/bin/four")});
  CHECK(find_tool("one", facts).path == Paths{tree.path("home/bin")});

  for (const char* program : {"/bin/x", "/x", "/home/other/bin/x", "/opt/bin/x", "/root/bin/x"})
    CHECK(sbx::os::installation_of(program, facts) == program);
  CHECK(sbx::os::installation_of("/opt/tool/bin/x", facts) == "/opt/tool");
  CHECK(sbx::os::installation_of("/nix/store/abc-x/bin/x", facts) == "/nix/store");
}

TEST_CASE("a script brings its interpreter") {
  const TempTree tree;
  install(tree, "opt/ruby", "ruby");
  tree.program("home/bin/deploy", "#!" + tree.path("opt/ruby/bin/ruby") + " -w\n");
  tree.program("home/bin/build", "#!/usr/bin/env -S ruby --yjit\n");
  const HostFacts facts = caller(tree, {"home/bin", "opt/ruby/bin"});
  const ToolInstallation direct = find_tool("deploy", facts);
  CHECK(shown(direct) == Paths{tree.path("home/bin/deploy"), tree.path("opt/ruby")});
  CHECK(direct.path == Paths{tree.path("home/bin")});
  const ToolInstallation by_env = find_tool("build", facts);
  CHECK(shown(by_env) == Paths{tree.path("home/bin/build"), tree.path("opt/ruby")});
  CHECK(by_env.path == Paths{tree.path("opt/ruby/bin"), tree.path("home/bin")});
}

TEST_CASE("links in a circle and scripts that name each other end") {
  const TempTree tree;
  tree.link("home/bin/a", "b");
  tree.link("home/bin/b", "a");
  tree.program("home/bin/c", "#!" + tree.path("home/bin/d") + "\n");
  tree.program("home/bin/d", "#!" + tree.path("home/bin/c") + "\n");
  const HostFacts facts = caller(tree, {"home/bin"});
  CHECK_FALSE(find_tool("a", facts).problem.empty());
  CHECK(shown(find_tool("c", facts)) == Paths{tree.path("home/bin/c"), tree.path("home/bin/d")});
  CHECK_FALSE(sbx::os::resolve_path(tree.path("home/bin/a")).has_value());
}

TEST_CASE("a path resolves as the kernel would, telling the links on the way") {
  const TempTree tree;
  tree.file("a/b/file", "");
  tree.link("link", "a/b");
  tree.link("a/up", "../link/file");
  const auto found = sbx::os::resolve_path(tree.path("a/./up"));
  REQUIRE(found);
  CHECK(found->path == tree.path("a/b/file"));
  REQUIRE(found->links.size() == 2);
  CHECK(found->links[0].path == tree.path("a/up"));
  CHECK(found->links[1].path == tree.path("link"));
  CHECK(sbx::os::resolve_path("/")->path == "/");
  CHECK_FALSE(sbx::os::resolve_path(tree.path("a/b/file/x")));
}
