// extends, overrides, variables: who wins, and that every value remembers who wrote it.
#include "profile_testing.hpp"

using namespace sbx::profile;
using sbx::testing::describe;
using sbx::testing::Files;
using sbx::testing::has;
using sbx::testing::load_files;
using sbx::testing::must_load;
using sbx::testing::problems_of;

namespace {

Profile must_load_files(const Files& files, LoadRequest request) {
  auto loaded = load_files(files, std::move(request));
  if (!loaded) FAIL(describe(loaded.error()));
  return *std::move(loaded);
}

std::string problems_of_files(const Files& files, const std::string& name) {
  const auto loaded = load_files(files, {.name = name});
  return loaded ? "it loaded" : describe(loaded.error());
}

}  // namespace

TEST_CASE("later layers win, maps merge and lists append") {
  const Files files{
      {"/p/a.yaml",
       "version: 1\nname: base\nlimits: {memory: 1G, pids: 7}\ntools: [node]\ncommand: [a, "
       "b]\nmounts: [\"d:/d\"]\n"},
      {"/p/b.yaml",
       "version: 1\nextends: [./a.yaml]\nlimits: {memory: 2G}\ntools: [go]\ncommand: [c]\n"}};
  const Profile profile = must_load_files(files, {.name = "/p/b.yaml"});
  CHECK(profile.name == "b");
  CHECK(profile.limits.memory == Bytes{2} << 30U);
  CHECK(profile.limits.pids == 7U);
  CHECK(profile.tools == std::vector<std::string>{"node", "go"});
  CHECK(profile.command == std::vector<std::string>{"c"});
  CHECK(std::get<BindMount>(profile.mounts.at(0).what).base == "/p");
  CHECK(profile.origins.at("limits.memory") == sbx::Origin{"/p/b.yaml", 3, 18});
  CHECK(profile.origins.at("limits.pids").file == "/p/a.yaml");
  CHECK(profile.origins.at("tools[0]").file == "/p/a.yaml");
  CHECK(profile.origins.at("tools[1]").file == "/p/b.yaml");
}

TEST_CASE("!replace drops what earlier layers and defaults say") {
  const Files files{{"/p/a.yaml", "version: 1\ntools: [node]\nenv: {set: {A: b}}\n"},
                    {"/p/b.yaml",
                     "version: 1\nextends: [./a.yaml]\ntools: !replace [go]\nenv: !replace {set: "
                     "{C: d}}\nseccomp: {allow: !replace [execve]}\n"}};
  const Profile profile = must_load_files(files, {.name = "/p/b.yaml"});
  CHECK(profile.tools == std::vector<std::string>{"go"});
  CHECK(profile.env.set.size() == 1);
  CHECK(profile.seccomp.allow == std::vector<std::string>{"execve"});
}

TEST_CASE("a file that is reached twice counts once") {
  const Files files{{"/p/d.yaml", "version: 1\ntools: [node]\nlimits: {pids: 1}\n"},
                    {"/p/b.yaml", "version: 1\nextends: [./d.yaml]\nlimits: {pids: 2}\n"},
                    {"/p/c.yaml", "version: 1\nextends: [./d.yaml]\n"},
                    {"/p/a.yaml", "version: 1\nextends: [./b.yaml, ./c.yaml]\n"}};
  const Profile profile = must_load_files(files, {.name = "/p/a.yaml"});
  CHECK(profile.tools == std::vector<std::string>{"node"});
  CHECK(profile.limits.pids == 2U);
}

TEST_CASE("circles, long chains and missing files end with the place that names them") {
  const Files files{{"/p/a.yaml", "version: 1\nextends: [./b.yaml]\n"},
                    {"/p/b.yaml", "version: 1\nextends: [./a.yaml]\n"},
                    {"/p/c.yaml", "version: 1\nextends: [./none.yaml]\n"}};
  CHECK(has(problems_of_files(files, "/p/a.yaml"), "/p/b.yaml:2:11: `extends` goes in a circle"));
  CHECK(has(problems_of_files(files, "/p/c.yaml"),
            "/p/c.yaml:2:11: cannot extend: no profile ./none.yaml"));
  CHECK(has(problems_of_files(files, "/p/zzz.yaml"), "no profile /p/zzz.yaml"));
  Files chain;
  for (int i = 0; i < 40; ++i) {
    chain["/p/" + std::to_string(i)] = "version: 1\nextends: [./" + std::to_string(i + 1) + "]\n";
  }
  CHECK(has(problems_of_files(chain, "/p/0"), "at most 16 deep"));
}

TEST_CASE("a list of too many files to extend is one problem") {
  Files files;
  std::string all = "version: 1\nextends:\n";
  for (int i = 0; i < 80; ++i) {
    files["/p/" + std::to_string(i)] = "version: 1\n";
    all += "  - ./" + std::to_string(i) + "\n";
  }
  files["/p/all"] = all;
  const std::string problems = problems_of_files(files, "/p/all");
  const std::string_view told = "too many profiles extend each other";
  CHECK(has(problems, told));
  CHECK(problems.find(told) == problems.rfind(told));
}

TEST_CASE("the problems of every layer are told, the extending file's first") {
  const Files files{{"/p/a.yaml", "version: 1\nlimits: {memroy: 1G}\n"},
                    {"/p/b.yaml", "version: 1\nextends: [./a.yaml]\nnetwrok: none\n"}};
  const std::string problems = problems_of_files(files, "/p/b.yaml");
  CHECK(has(problems, "/p/a.yaml:2:10: unknown key `memroy`"));
  CHECK(has(problems, "/p/b.yaml:3:1: unknown key `netwrok`"));
  CHECK(problems.find("/p/b.yaml") < problems.find("/p/a.yaml"));
}

TEST_CASE("flags are laid over the files last, in their order") {
  LoadRequest request;
  request.overrides = {{"limits.memory", "256M", "--memory"},
                       {"limits.memory", "300M", "--set limits.memory"},
                       {"mounts", "[{bind: out, at: /out, mode: rw}]", "--rw"},
                       {"env.set", "{A: \"${x} y: z\"}", "--env"},
                       {"tools", "!replace [go]", "--set tools"}};
  const Profile profile =
      must_load("limits: {memory: 1G}\ntools: [node]\nmounts: [\"a:/a\"]\n", request);
  CHECK(profile.limits.memory == Bytes{300} << 20U);
  CHECK(profile.origins.at("limits.memory") == sbx::Origin{"--set limits.memory"});
  REQUIRE(profile.mounts.size() == 2);
  CHECK(std::get<BindMount>(profile.mounts[1].what).base == "/cwd");
  CHECK(profile.env.set.at("A") == "${x} y: z");
  CHECK(profile.tools == std::vector<std::string>{"go"});
}

TEST_CASE(
    "a root takes the place of the one before, and what is passed on of what was set before") {
  LoadRequest request;
  request.overrides = {{"root", "{oci: other}", "--root"}, {"env.pass", "[A, C]", "--env"}};
  const Profile profile = must_load(
      "root: {oci: image, ref: one, max: 5G}\nenv: {pass: [B], set: {A: a, B: b}}\n", request);
  CHECK(profile.root.path == "/cwd/other");
  CHECK(profile.root.ref.empty());
  CHECK(profile.root.max == Bytes{5} << 30U);
  CHECK(profile.origins.at("root") == sbx::Origin{"--root"});
  CHECK(profile.env.set == std::map<std::string, std::string>{{"B", "b"}});
  request.overrides = {{"root", "{dir: other}", "--root"}, {"env.set", "{A: z}", "--env"}};
  const Profile folder =
      must_load("root: {oci: image, ref: one, max: 5G}\nenv: {pass: [A]}\n", request);
  CHECK(folder.root.kind == RootKind::dir);
  CHECK(folder.env.set.at("A") == "z");
}

TEST_CASE("of what flags say of a root one by one, the order is nobody's concern") {
  using Flag = sbx::profile::Override;
  const Flag ref{"root.ref", "mine", "--set root.ref"};
  const Flag max{"root.max", "2G", "--set root.max"};
  const Flag image{"root.oci", "other", "--set root.oci"};
  const std::string file = "root: {oci: image, ref: one, max: 5G}\n";
  const std::vector<std::vector<Flag>> orders{{image, ref, max},
                                              {ref, max, image},
                                              {max, image, ref},
                                              {ref, max, {"root", "{oci: other}", "--root"}}};
  for (const auto& flags : orders) {
    LoadRequest request;
    request.overrides = flags;
    for (const std::string& text : {std::string(), file}) {
      const Profile profile = must_load(text, request);
      CHECK(profile.root.path == "/cwd/other");
      CHECK(profile.root.ref == "mine");
      CHECK(profile.root.max == Bytes{2} << 30U);
    }
  }
  LoadRequest request;
  const Flag folder{"root.dir", "other", "--set root.dir"};
  for (const auto& flags : {std::vector{ref, folder}, std::vector{folder, ref}}) {
    request.overrides = flags;
    CHECK(has(problems_of("", request), "--set root.ref: "));
  }
}

TEST_CASE("wrong flags are told by their names") {
  const auto problem = [](const std::string& key, const std::string& yaml) {
    LoadRequest request;
    request.overrides = {{key, yaml, "--set " + key}};
    return problems_of("", request);
  };
  CHECK(has(problem("limits.memory", "512"),
            "--set limits.memory: `limits.memory`: the size `512` needs a unit"));
  CHECK(has(problem("limits.memroy", "1G"),
            "--set limits.memroy: unknown key `memroy` in `limits`; did you mean `memory`?"));
  CHECK(has(problem("limits..memory", "1G"), "is no key"));
  CHECK(has(problem("", "1G"), "is no key"));
  for (const char* nothing : {"", " ", "#fff"})
    CHECK(has(problem("env.set.A", nothing), "--set env.set.A: `env.set.A` is given no value"));
  CHECK(has(problem("tools", "null"), "--set tools: `tools` must be a list, not nothing"));
  CHECK(problem("stdio.stdin", "null") == "it loaded");
  CHECK(has(problem("tools", "[a"), "not valid YAML"));
  CHECK(has(problem("version", "1"), "can only stand in a file"));
  CHECK(has(problem("extends", "[python]"), "can only stand in a file"));
}

TEST_CASE("a flag that sets a variable which nothing uses and that nearly names another") {
  const std::string text = "vars: {mem: 64M, spare: x}\nlimits: {memory: \"${mem}\"}\n";
  const auto with = [&](const std::string& name) {
    sbx::profile::LoadRequest request;
    request.overrides = {{"vars." + name, "128M", "--set vars." + name}};
    const auto loaded = sbx::testing::try_load(text, request);
    return loaded ? std::string("it loaded") : sbx::testing::describe(loaded.error());
  };
  CHECK(with("mem") == "it loaded");
  CHECK(with("spare") == "it loaded");
  CHECK(sbx::testing::has(with("meme"), "the variable `meme`; did you mean `mem`?"));
}

TEST_CASE("an entry of a flag that is of the wrong kind is told once") {
  for (const std::string key : {"mask", "tools", "degrade", "devices", "artifacts.collect"}) {
    CAPTURE(key);
    sbx::profile::LoadRequest request;
    request.overrides = {{key, "[true]", "--set " + key}};
    const auto loaded = sbx::testing::try_load("", request);
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().size() == 1);
  }
}

TEST_CASE("variables are filled in from vars, flags and the environment") {
  LoadRequest request;
  request.env = {{"USER", "ann"}, {"EMPTY", ""}};
  const std::string text =
      "vars: {mem: 1G, who: \"${env:USER}\", n: 9}\n"
      "limits: {memory: \"${mem}\", pids: \"${n}\"}\n"
      "env: {set: {A: \"x${who}y\", B: \"${env:NO:-fall back}\", C: \"${env:EMPTY:-e}\", D: "
      "\"$${mem} $5\", E: \"${env:EMPTY}\"}}\n";
  const Profile profile = must_load(text, request);
  CHECK(profile.limits.memory == Bytes{1} << 30U);
  CHECK(profile.limits.pids == 9U);
  CHECK(profile.env.set.at("A") == "xanny");
  CHECK(profile.env.set.at("B") == "fall back");
  CHECK(profile.env.set.at("C") == "e");
  CHECK(profile.env.set.at("D") == "${mem} $5");
  CHECK(profile.env.set.at("E").empty());
  request.overrides = {{"vars.mem", "2G", "--set vars.mem"}};
  CHECK(must_load(text, request).limits.memory == Bytes{2} << 30U);
}

TEST_CASE("what variables make is text where text is wanted, whatever YAML would read there") {
  LoadRequest request;
  request.env = {{"FLAG", "true"}, {"NULL", "null"}, {"HEX", "0x10"}, {"PERM", "0400"}};
  const Profile profile = must_load(
      "env: {set: {A: \"${env:FLAG}\", B: \"${env:NULL}\"}}\ncommand: [\"${env:HEX}\"]\n"
      "mounts: [{file: /a, content: \"${env:HEX}\", perm: \"${env:PERM}\"}]\n",
      request);
  CHECK(profile.env.set.at("A") == "true");
  CHECK(profile.env.set.at("B") == "null");
  CHECK(profile.command == std::vector<std::string>{"0x10"});
  CHECK(std::get<FileMount>(profile.mounts.at(0).what).perm == 0400U);
}

TEST_CASE("the digest covers every file and flag") {
  const auto digest = [](const Files& files, std::vector<Override> overrides) {
    return must_load_files(files, {.name = "/p/b.yaml", .overrides = std::move(overrides)}).sha256;
  };
  const Files files{{"/p/a.yaml", "version: 1\n"},
                    {"/p/b.yaml", "version: 1\nextends: [./a.yaml]\n"}};
  Files changed = files;
  changed["/p/a.yaml"] += "# more\n";
  CHECK(digest(files, {}) == digest(files, {}));
  CHECK(digest(files, {}) != digest(changed, {}));
  CHECK(digest(files, {}) != digest(files, {{"limits.pids", "9", "--pids"}}));
}

TEST_CASE("an overlay's keys may be left behind by a layer that changes the mode") {
  LoadRequest request;
  request.overrides = {{"workspace.mode", "ro", "--workspace"}};
  CHECK(must_load("workspace: {mode: overlay, size: 1G}\n", request).workspace.mode ==
        WorkspaceMode::ro);
  CHECK(has(problems_of("workspace: {mode: ro, size: 1G}\n"),
            "means something with `mode: overlay` only"));
  request.overrides.push_back({"workspace.keep", "diff", "--keep"});
  CHECK(has(problems_of("workspace: {mode: overlay}\n", request),
            "means something with `mode: overlay` only"));
}

TEST_CASE("a value with an anchor is one text, wherever it stands") {
  const auto profile = sbx::testing::must_load(
      "vars: {mem: &m 512M, other: &o # small\n  64M}\nlimits: {memory: *m, memory_high: &h 256M}\n"
      "mask: [ &x /workspace/\xc3\xa9, /workspace/y, *x]\n");
  CHECK(profile.limits.memory == 512U << 20U);
  CHECK(profile.limits.memory_high == 256U << 20U);
  CHECK(profile.mask.size() >= 3);
}
