// tools: sees through what version managers put in the way: shims, links, environments.
#include <doctest/doctest.h>

#include "os/tools_install.hpp"
#include "os/tools_path.hpp"
#include "tools_scene.hpp"

using namespace sbx::test;
using sbx::HostFacts;
using sbx::ToolInstallation;
using sbx::os::find_tool;

TEST_CASE("a pyenv shim is followed to the version that pyenv would run") {
  const TempTree tree;
  HostFacts facts = caller(tree, {"home/.pyenv/shims"});
  tree.program("home/.pyenv/shims/python3", "#!/usr/bin/env bash\nexec pyenv exec\n");
  for (const char* version : {"3.9.1", "3.11.2", "3.11.10"})
    install(tree, std::string("home/.pyenv/versions/") + version, "python3");
  const auto version = [&] { return shown(find_tool("python3", facts)); };
  const auto expected = [&](const char* name) {
    return Paths{tree.path(std::string("home/.pyenv/versions/") + name)};
  };

  SUBCASE("the global version") {
    tree.file("home/.pyenv/version", "3.9.1\n");
    CHECK(version() == expected("3.9.1"));
    CHECK(find_tool("python3", facts).path == Paths{tree.path("home/.pyenv/versions/3.9.1/bin")});
  }
  SUBCASE("a file of the project wins over the global one, with a comment and a prefix in it") {
    tree.file("home/.pyenv/version", "3.9.1\n");
    tree.file("home/.python-version", "# ours\n3.11\n");
    CHECK(version() == expected("3.11.10"));
  }
  SUBCASE("the variable wins over both; the first version that has the program counts") {
    tree.file("home/.python-version", "3.9.1\n");
    facts.env["PYENV_VERSION"] = "2.7:3.11.2";
    CHECK(version() == expected("3.11.2"));
  }
  SUBCASE("system means what PATH has behind the shims") {
    tree.file("home/.pyenv/version", "system\n");
    tree.folder("opt/py/bin");
    install(tree, "opt/py", "python3");
    facts.env["PATH"] = tree.path("home/.pyenv/shims") + ":" + tree.path("opt/py/bin");
    CHECK(version() == Paths{tree.path("opt/py")});
  }
  SUBCASE("a version that is not installed is a problem that names the file") {
    tree.file("home/project/.python-version", "3.8.0\n");
    const std::string problem = find_tool("python3", facts).problem;
    CHECK(problem.contains("3.8.0"));
    CHECK(problem.contains(tree.path("home/project/.python-version")));
  }
}

TEST_CASE("a virtual environment is shown with the base it points to") {
  const TempTree tree;
  HostFacts facts = caller(tree, {"home/project/.venv/bin"});
  install(tree, "home/.pyenv/versions/3.11.2", "python3.11");
  tree.file("home/.pyenv/versions/3.11.2/lib/python3.11/os.py", "");
  tree.link("home/.pyenv/versions/3.11", tree.path("home/.pyenv/versions/3.11.2"));
  tree.file("home/project/.venv/pyvenv.cfg", "home = x\n");
  tree.link("home/project/.venv/bin/python", tree.path("home/.pyenv/versions/3.11/bin/python3.11"));
  tree.link("home/project/.venv/bin/python3", "python");
  const ToolInstallation tool = find_tool("python3", facts);
  CHECK(tool.problem.empty());
  CHECK(shown(tool) == Paths{tree.path("home/.pyenv/versions/3.11") + " -> " +
                                 tree.path("home/.pyenv/versions/3.11.2"),
                             tree.path("home/.pyenv/versions/3.11.2"),
                             tree.path("home/project/.venv")});
  CHECK(tool.path == Paths{tree.path("home/project/.venv/bin")});
  CHECK(tool.env.at("VIRTUAL_ENV") == tree.path("home/project/.venv"));
}

TEST_CASE("what lies in the caller's folder does not say what else of the host is shown") {
  const TempTree tree;
  HostFacts facts =
      caller(tree, {"home/project/.venv/bin", "home/.pyenv/shims", "home/.cargo/bin"});
  tree.file("home/other/package.json", "{}");
  const std::string other = tree.program("home/other/run.sh");
  install(tree, "home", "python3.11");
  const auto script = [&](const std::string& place) { tree.program(place, "#!" + other + "\n"); };
  const auto refused = [&](const std::string& name, std::string_view why) {
    const ToolInstallation tool = find_tool(name, facts);
    CHECK(tool.problem.contains(why));
    CHECK(shown(tool).empty());
    CHECK(tool.path.empty());
  };
  SUBCASE("the first line of a script") {
    script("home/project/.venv/bin/python3");
    refused("python3", tree.path("home/other"));
    facts.cwd = tree.folder("home/elsewhere");  // the control: there the caller has put it
    CHECK(shown(find_tool("python3", facts)) ==
          Paths{tree.path("home/other"), tree.path("home/project/.venv/bin/python3")});
    facts.sources["work"] = {.exists = true, .path = tree.path("home/project")};
    refused("python3", tree.path("home/other"));
  }
  SUBCASE("a link, also of a virtual environment") {
    tree.link("home/project/.venv/bin/python3", other);
    refused("python3", tree.path("home/other"));
    tree.file("home/project/.venv/pyvenv.cfg", "");
    refused("python3", tree.path("home/other"));
    tree.link("home/project/.venv/bin/python", tree.path("home/other/package.json"));
    refused("python3", tree.path("home/other"));
  }
  SUBCASE("neither where a chain of links ends nor where it passes") {
    tree.file("home/other/.venv/pyvenv.cfg", "");
    tree.link("home/other/.venv/bin/python3", tree.path("home/bin/python3.11"));
    tree.link("home/project/.venv/bin/python3", tree.path("home/other/.venv/bin/python3"));
    refused("python3", tree.path("home/other/.venv"));
    tree.program("home/project/.venv/bin/python3",
                 "#!" + tree.path("home/other/.venv/bin/python3") + "\n");
    refused("python3", tree.path("home/other/.venv"));
  }
  SUBCASE("a folder that is a link") {
    tree.file("home/other/.venv/pyvenv.cfg", "");
    tree.link("home/other/.venv/bin/python3", tree.path("home/bin/python3.11"));
    tree.link("home/project/.venv/bin2", tree.path("home/other/.venv/bin"));
    facts.env["PATH"] = tree.path("home/project/.venv/bin2");
    refused("python3", tree.path("home/other/.venv"));
  }
  SUBCASE("another program of the caller's, but for an interpreter") {
    install(tree, "home/third", "mytool");
    install(tree, "home/third", "node");
    facts.env["PATH"] = tree.path("home/third/bin") + ":" + facts.env["PATH"];
    tree.program("home/project/.venv/bin/python3", "#!/usr/bin/env mytool\n");
    refused("python3", tree.path("home/third"));
    tree.program("home/project/.venv/bin/python3", "#!/usr/bin/env true\n");
    CHECK(shown(find_tool("python3", facts)) == Paths{tree.path("home/project/.venv/bin/python3")});
    tree.program("home/project/.venv/bin/python3", "#!/usr/bin/env node\n");
    CHECK(shown(find_tool("python3", facts)) ==
          Paths{tree.path("home/project/.venv/bin/python3"), tree.path("home/third")});
  }
  SUBCASE("from the folder that the profile shows, not what the caller stands in either") {
    facts.sources["work"] = {.exists = true, .path = tree.path("home/project")};
    tree.link("home/project/.venv/bin/python3", other);
    for (const char* cwd : {"", "home"}) {
      facts.cwd = tree.path(cwd);
      refused("python3", "home/other");
    }
    // Also where a link of the caller's comes first, in a folder around it.
    facts.cwd = tree.path("home");
    facts.home = "/nowhere";
    tree.link("home/env/bin", tree.path("home/project/.venv/bin"));
    facts.env["PATH"] = tree.path("home/env/bin");
    refused("python3", "home/other");
    facts.sources["all"] = {.exists = true, .path = tree.path("home")};  // it shows anyway
    CHECK(find_tool("python3", facts).problem.empty());
  }
  SUBCASE("a version that is a path") {
    tree.program("home/.pyenv/shims/python3");
    install(tree, "home/private", "python3");
    tree.file("home/project/.python-version", "../../private\n");
    refused("python3", "../../private");
  }
  SUBCASE("a toolchain that is a folder") {
    tree.program("home/.cargo/bin/rustup");
    tree.link("home/.cargo/bin/cargo", "rustup");
    install(tree, "home/private", "cargo");
    for (const char* key : {"path", "channel"}) {
      const std::string line = std::string(key) + " = \"" + tree.path("home/private") + "\"\n";
      tree.file("home/project/rust-toolchain.toml", "[toolchain]\n" + line);
      refused("cargo", "RUSTUP_TOOLCHAIN");
    }
    facts.env["RUSTUP_TOOLCHAIN"] = tree.path("home/private");  // the caller's own word
    CHECK(shown(find_tool("cargo", facts)) == Paths{tree.path("home/private")});
  }
}

TEST_CASE("a pipx program is shown as its link and its own environment, not ~/.local") {
  const TempTree tree;
  const std::string venv = "home/.local/share/pipx/venvs/black";
  tree.file(venv + "/pyvenv.cfg", "");
  tree.link(venv + "/bin/python", "/bin/sh");
  tree.program(venv + "/bin/black", "#!" + tree.path(venv) + "/bin/python\n");
  tree.link("home/.local/bin/black", tree.path(venv + "/bin/black"));
  tree.file("home/.local/share/keyrings/login.keyring", "secret");
  const ToolInstallation tool = find_tool("black", caller(tree, {"home/.local/bin"}));
  CHECK(shown(tool) ==
        Paths{tree.path("home/.local/bin/black") + " -> " + tree.path(venv + "/bin/black"),
              tree.path(venv)});
  CHECK(tool.path == Paths{tree.path("home/.local/bin")});
  CHECK_FALSE(tool.env.contains("VIRTUAL_ENV"));
}

TEST_CASE("a rustup proxy is followed to the toolchain, and ~/.cargo stays outside") {
  const TempTree tree;
  HostFacts facts = caller(tree, {"home/.cargo/bin"});
  tree.program("home/.cargo/bin/rustup");
  tree.link("home/.cargo/bin/cargo", "rustup");
  tree.file("home/.cargo/credentials.toml", "token");
  for (const char* name : {"stable-x86_64-unknown-linux-gnu", "1.70.0-x86_64-unknown-linux-gnu"})
    install(tree, std::string("home/.rustup/toolchains/") + name, "cargo");
  const std::string stable = tree.path("home/.rustup/toolchains/stable-x86_64-unknown-linux-gnu");
  const std::string pinned = tree.path("home/.rustup/toolchains/1.70.0-x86_64-unknown-linux-gnu");
  tree.file("home/.rustup/settings.toml",
            "default_host_triple = \"x86_64-unknown-linux-gnu\"\n"
            "default_toolchain = \"stable-x86_64-unknown-linux-gnu\"\n"
            "version = \"12\"\n[overrides]\n\"" +
                tree.path("elsewhere") + "\" = \"1.70.0\"\n");
  const auto trees = [&] { return shown(find_tool("cargo", facts)); };

  CHECK(trees() == Paths{stable});
  CHECK(find_tool("cargo", facts).path == Paths{stable + "/bin"});
  CHECK(shown(find_tool("rustup", facts)) == Paths{tree.path("home/.cargo/bin/rustup")});
  SUBCASE("rust-toolchain.toml") {
    tree.file("home/project/rust-toolchain.toml",
              "[toolchain]\nchannel = \"1.70.0\" # pinned\ncomponents = [\"clippy\"]\n");
    CHECK(trees() == Paths{pinned});
  }
  SUBCASE("rust-toolchain with just a name") {
    tree.file("home/rust-toolchain", "1.70.0\n");
    CHECK(trees() == Paths{pinned});
  }
  SUBCASE("an override for the folder") {
    facts.cwd = tree.folder("elsewhere");
    CHECK(trees() == Paths{pinned});
  }
  SUBCASE("the variable") {
    facts.env["RUSTUP_TOOLCHAIN"] = "nightly";
    const std::string problem = find_tool("cargo", facts).problem;
    CHECK(problem.contains("nightly (set by RUSTUP_TOOLCHAIN)"));
  }
}

TEST_CASE("node of nvm is shown as its version, on PATH or not, and npm goes with it") {
  const TempTree tree;
  const std::string prefix = "home/.nvm/versions/node/v20.5.0";
  install(tree, prefix, "node");
  install(tree, "home/.nvm/versions/node/v18.1.0", "node");
  tree.program(prefix + "/lib/node_modules/npm/bin/npm-cli.js", "#!/usr/bin/env node\n");
  tree.file(prefix + "/lib/node_modules/npm/package.json", "{}");
  tree.link(prefix + "/bin/npm", "../lib/node_modules/npm/bin/npm-cli.js");
  HostFacts facts = caller(tree, {prefix + "/bin"});
  CHECK(shown(find_tool("node", facts)) == Paths{tree.path(prefix)});
  const ToolInstallation npm = find_tool("npm", facts);
  CHECK(shown(npm) == Paths{tree.path(prefix)});
  CHECK(npm.path == Paths{tree.path(prefix + "/bin")});

  facts.env["PATH"] = "/nonexistent";
  tree.file("home/.nvm/alias/default", "20\n");
  CHECK(shown(find_tool("node", facts)) == Paths{tree.path(prefix)});
  CHECK(find_tool("node", facts).path == Paths{tree.path(prefix + "/bin")});
}

TEST_CASE("conda, a JDK and Go bring the variable they need") {
  const TempTree tree;
  install(tree, "home/miniconda3", "python3");
  tree.folder("home/miniconda3/conda-meta");
  install(tree, "home/.sdkman/candidates/java/17-tem", "java");
  tree.file("home/.sdkman/candidates/java/17-tem/lib/modules", "");
  tree.file("home/.sdkman/candidates/java/17-tem/release", "");
  tree.link("home/.sdkman/candidates/java/current", "17-tem");
  tree.program("opt/go/bin/go");
  tree.folder("opt/go/pkg/tool");
  tree.folder("opt/go/lib");
  tree.file("opt/go/VERSION", "go1.22\n");
  const HostFacts facts = caller(
      tree, {"home/miniconda3/bin", "home/.sdkman/candidates/java/current/bin", "opt/go/bin"});

  const ToolInstallation python = find_tool("python3", facts);
  CHECK(shown(python) == Paths{tree.path("home/miniconda3")});
  CHECK(python.env.at("CONDA_PREFIX") == tree.path("home/miniconda3"));
  const ToolInstallation java = find_tool("java", facts);
  CHECK(java.env.at("JAVA_HOME") == tree.path("home/.sdkman/candidates/java/17-tem"));
  CHECK(java.path == Paths{tree.path("home/.sdkman/candidates/java/17-tem/bin")});
  const ToolInstallation go = find_tool("go", facts);
  CHECK(shown(go) == Paths{tree.path("opt/go")});
  CHECK(go.env.at("GOROOT") == tree.path("opt/go"));
}

TEST_CASE("asdf's and mise's shims are followed when their files leave no doubt") {
  const TempTree tree;
  HostFacts facts = caller(tree, {"home/.asdf/shims", "home/.local/share/mise/shims"});
  tree.program("home/.asdf/shims/node",
               "#!/usr/bin/env bash\n# asdf-plugin: nodejs 18.0.0\n# asdf-plugin: nodejs 20.0.0\n");
  install(tree, "home/.asdf/installs/nodejs/18.0.0", "node");
  install(tree, "home/.asdf/installs/nodejs/20.0.0", "node");
  CHECK(find_tool("node", facts).problem.contains(".tool-versions"));
  CHECK(find_tool("node", facts).advice.contains("in front of PATH"));
  tree.file("home/.tool-versions", "python 3.11.0\nnodejs 18.0.0\n");
  CHECK(shown(find_tool("node", facts)) == Paths{tree.path("home/.asdf/installs/nodejs/18.0.0")});

  tree.program("home/.local/bin/mise");
  tree.link("home/.local/share/mise/shims/deno", tree.path("home/.local/bin/mise"));
  install(tree, "home/.local/share/mise/installs/deno/1.40.0", "deno");
  tree.link("home/.local/share/mise/installs/deno/latest", "./1.40.0");
  CHECK(shown(find_tool("deno", facts)) ==
        Paths{tree.path("home/.local/share/mise/installs/deno/1.40.0")});
}
