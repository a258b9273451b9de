// What the plan gets to know of the host: sources resolved safely, roots listed, facts true.
#include "os/probe.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "../support/temp_tree.hpp"
#include "os/probe_source.hpp"

using sbx::EntryType;
using sbx::RootEntry;
using sbx::SourceFacts;
using namespace sbx::os;
using sbx::test::TempTree;

TEST_CASE("a relative source is found beneath its base, by its canonical path") {
  const TempTree tree;
  tree.file("base/data/a.txt", "x");
  tree.link("base/link", "data");
  const SourceFacts folder = look_at_source({"./data", tree.path("base")}, true);
  CHECK(folder.exists);
  CHECK(folder.type == EntryType::directory);
  CHECK(folder.path == tree.path("base/data"));
  CHECK(folder.uid == geteuid());
  CHECK(folder.problem.empty());
  CHECK((folder.device.empty() || folder.device.find(':') != std::string::npos));
  CHECK(look_at_source({"./data", tree.path("base")}).device.empty());
  const SourceFacts file = look_at_source({"link/a.txt", tree.path("base")});
  CHECK(file.type == EntryType::file);
  CHECK(file.path == tree.path("base/data/a.txt"));
  CHECK(look_at_source({".", tree.path("base")}).path == tree.path("base"));
}

TEST_CASE("a relative source that leads outside is a problem that says what to do") {
  const TempTree tree;
  tree.file("secret", "x");
  tree.folder("base");
  tree.link("base/up", "../secret");
  tree.link("base/absolute", "/etc");
  for (const char* source : {"../secret", "up", "absolute", "./x/../../secret"}) {
    tree.folder("base/x");
    const SourceFacts facts = look_at_source({source, tree.path("base")});
    CHECK_FALSE(facts.exists);
    CHECK(facts.problem == std::string(source) + " leads outside of " + tree.path("base") +
                               "; write the absolute path if that is meant");
  }
}

TEST_CASE("an absolute source follows links, and sockets and FIFOs count as files") {
  const TempTree tree;
  tree.file("real/a", "x");
  tree.link("link", "real");
  CHECK(look_at_source({tree.path("link"), "/"}).path == tree.path("real"));
  REQUIRE(mkfifo(tree.path("fifo").c_str(), 0600) == 0);
  CHECK(look_at_source({tree.path("fifo"), "/"}).type == EntryType::file);
  CHECK(look_at_source({"/dev/null", "/"}).type == EntryType::file);
}

TEST_CASE("a missing source does not exist, which is no problem yet") {
  const TempTree tree;
  tree.file("file", "");
  for (const char* source : {"nothing", "file/below", "no/such/thing"}) {
    const SourceFacts facts = look_at_source({source, tree.path()});
    CHECK_FALSE(facts.exists);
    CHECK(facts.problem.empty());
  }
  CHECK_FALSE(look_at_source({"x", tree.path("no-base")}).exists);
  CHECK_FALSE(look_at_source({"", tree.path()}).problem.empty());
}

TEST_CASE("links that turn in a circle, or go through /proc, are a problem") {
  const TempTree tree;
  tree.link("a", "b");
  tree.link("b", "a");
  CHECK_FALSE(look_at_source({"a", tree.path()}).problem.empty());
  CHECK_FALSE(look_at_source({tree.path("a"), ""}).problem.empty());
  CHECK_FALSE(look_at_source({"self/cwd", "/proc"}).exists);
}

TEST_CASE("one text in two folders means two sources, and in the caller's it is the key itself") {
  const TempTree tree;
  tree.folder("one/data");
  tree.folder("two/data");
  const std::string own = std::filesystem::current_path().string();
  const ProbeRequest request{.root = RootRequest::empty,
                             .sources = {{"data", tree.path("one")},
                                         {"data", tree.path("two")},
                                         {".", own},
                                         {tree.path("one"), tree.path("two")}}};
  const auto facts = probe(request);
  REQUIRE(facts);
  const auto found = [&facts](const std::string& source, const std::string& base) {
    return facts->sources.at(source_key(*facts, source, base)).path;
  };
  CHECK(found("data", tree.path("one")) == tree.path("one/data"));
  CHECK(found("data", tree.path("two")) == tree.path("two/data"));
  CHECK(facts->sources.at(".").path == own);
  CHECK(facts->sources.at(tree.path("one")).path == tree.path("one"));
}

TEST_CASE("the facts of this process are its own") {
  const auto facts = probe({.root = RootRequest::empty});
  REQUIRE(facts);
  CHECK(facts->euid == geteuid());
  CHECK(facts->egid == getegid());
  CHECK(facts->cwd == std::filesystem::current_path().string());
  CHECK(facts->cpus_online >= 1);
  CHECK(facts->stdin_is_tty == (isatty(0) == 1));
  CHECK(facts->host_id_first >= 65536);
  CHECK(facts->host_id_count >= 1);
  CHECK(facts->root_entries.empty());
  CHECK(facts->cgroups.empty());
  for (const auto& [name, value] : facts->env) CHECK(value == getenv(name.c_str()));
}

TEST_CASE("programs are read from the root's disk, and from those of the tools") {
  const TempTree tree;
  const std::string tool = tree.program("opt/tool/bin/tool");
  tree.folder("opt/tool/lib");
  const auto facts = probe({.root = RootRequest::host, .tools = {tool}, .disks = true});
  REQUIRE(facts);
  REQUIRE(facts->program_disks.size() == 2);
  CHECK(facts->program_disks.front().path == "/usr");
  CHECK(facts->program_disks.back().path == tree.path("opt/tool"));
  CHECK(facts->program_disks.back().exists);
  CHECK(probe({.tools = {tool}})->program_disks.empty());
}

TEST_CASE("the host's root shows programs and chosen parts of /etc, and nothing private") {
  const auto entries = host_root_entries().value();
  const auto has = [&](std::string_view path) {
    return std::ranges::find(entries, path, &RootEntry::path) != entries.end();
  };
  CHECK(has("/usr"));
  for (const RootEntry& entry : entries) {
    INFO(entry.path);
    CHECK((entry.path.starts_with("/etc/") ||
           std::filesystem::path(entry.path).parent_path() == "/"));
    CHECK((entry.type == EntryType::symlink) == entry.source.empty());
    CHECK((entry.type == EntryType::symlink) != entry.link.empty());
    if (entry.type != EntryType::symlink) CHECK(access(entry.source.c_str(), F_OK) == 0);
  }
  for (const char* path : {"/etc",
                           "/home",
                           "/root",
                           "/var",
                           "/run",
                           "/opt",
                           "/tmp",
                           "/etc/passwd",
                           "/etc/group",
                           "/etc/hosts",
                           "/etc/hostname",
                           "/etc/resolv.conf",
                           "/etc/nsswitch.conf",
                           "/etc/shadow",
                           "/etc/machine-id",
                           "/etc/ssl",
                           "/etc/ssl/private",
                           "/etc/ssh",
                           "/etc/pip.conf",
                           "/etc/npmrc",
                           "/etc/gitconfig",
                           "/etc/environment"})
    CHECK_FALSE_MESSAGE(has(path), path);
  CHECK(std::ranges::is_sorted(entries, {}, &RootEntry::path));
}

TEST_CASE("a root of the user's own shows its top, links as links, without what is made fresh") {
  const TempTree tree;
  for (const char* folder :
       {"r/usr", "r/etc", "r/proc", "r/sys", "r/dev", "r/tmp", "r/run", "r/srv"})
    tree.folder(folder);
  tree.link("r/bin", "usr/bin");
  tree.file("r/init", "");
  tree.link("alias", "r");
  REQUIRE(mkfifo(tree.path("r/pipe").c_str(), 0600) == 0);
  const auto entries = dir_root_entries(tree.path("alias"));
  REQUIRE(entries);
  std::vector<std::string> paths;
  for (const RootEntry& entry : *entries) paths.push_back(entry.path);
  CHECK(paths == std::vector<std::string>{"/bin", "/etc", "/init", "/srv", "/usr"});
  CHECK(entries->front().type == EntryType::symlink);
  CHECK(entries->front().link == "usr/bin");
  CHECK(entries->back().source == tree.path("r/usr"));
}

TEST_CASE("a root folder that is missing, a file, or the host's own is an error with a hint") {
  const TempTree tree;
  tree.file("file", "");
  for (const std::string& dir : {tree.path("nothing"), tree.path("file"), std::string("/")}) {
    const auto entries = dir_root_entries(dir);
    REQUIRE_FALSE(entries);
    CHECK_FALSE(entries.error().hint.empty());
  }
}
