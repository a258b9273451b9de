#include "changes/harvest.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "../support/temp_tree.hpp"

namespace sbx::changes {
namespace {

namespace fs = std::filesystem;

/// A layer and what it covers, made by hand: harvest asks for folders, not for an overlay.
struct Scene {
  test::TempTree tree;
  std::string upper = tree.folder("upper");
  std::string lower = tree.folder("lower");
  int made = 0;

  Scene() { ::setenv("XDG_STATE_HOME", tree.path("state").c_str(), 1); }

  SysResult<ChangeSet> read(std::int64_t began_ns, bool whole = false,
                            const std::function<bool()>& ended = {}) {
    auto store = Store::open(true).value();
    const auto staging = store.stage("run" + std::to_string(++made)).value();
    const os::UniqueFd above(::open(upper.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const os::UniqueFd below(::open(lower.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ChangeSet set;
    SBX_CHECK(harvest({above.get(), below.get(), began_ns, whole}, staging, set, ended));
    return set;
  }
};

/// File times are as coarse as the kernel's clock tick.
constexpr std::chrono::milliseconds kTick{20};

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::map<std::string, std::pair<EntryKind, EntryKind>> kinds_of(const ChangeSet& set) {
  std::map<std::string, std::pair<EntryKind, EntryKind>> kinds;
  for (const Change& change : set.changes)
    if (!change.passage) kinds[change.path] = {change.before.kind, change.after.kind};
  return kinds;
}

TEST_CASE("a layer's words are understood: whiteouts, new and merged folders, types that change") {
  Scene scene;
  scene.tree.file("lower/same", "x");
  scene.tree.file("upper/same", "x");
  scene.tree.file("lower/d/changed", "old");
  scene.tree.file("upper/d/changed", "new");
  scene.tree.file("lower/gone/below/f", "x");
  scene.tree.file("upper/made/f", "x");
  scene.tree.folder("lower/turned/in");
  scene.tree.file("upper/turned", "a file now");
  scene.tree.file("lower/untouched", "x");
  REQUIRE(::mknod((scene.upper + "/gone").c_str(), S_IFCHR, ::makedev(0, 0)) == 0);
  REQUIRE(::mknod((scene.upper + "/never").c_str(), S_IFCHR, ::makedev(0, 0)) == 0);
  const auto set = scene.read(now_ns());
  REQUIRE(set.has_value());
  using enum EntryKind;
  const auto kinds = kinds_of(*set);
  CHECK(kinds.size() == 8);
  CHECK(kinds.at("d/changed") == std::pair{file, file});
  CHECK(kinds.at("gone") == std::pair{folder, absent});
  CHECK(kinds.at("gone/below") == std::pair{folder, absent});
  CHECK(kinds.at("gone/below/f") == std::pair{file, absent});
  CHECK(kinds.at("made") == std::pair{absent, folder});
  CHECK(kinds.at("made/f") == std::pair{absent, file});
  CHECK(kinds.at("turned") == std::pair{folder, file});
  CHECK(kinds.at("turned/in") == std::pair{folder, absent});
  CHECK(set->omitted.empty());
}

TEST_CASE("what the host has changed since the run began is disturbed") {
  Scene scene;
  scene.tree.file("lower/early", "old");
  scene.tree.file("upper/early", "new");
  scene.tree.file("upper/late", "new");
  const std::int64_t began = now_ns();
  std::this_thread::sleep_for(kTick);
  scene.tree.file("lower/late", "host");
  const auto set = scene.read(began);
  REQUIRE(set.has_value());
  REQUIRE(set->changes.size() == 2);
  CHECK_FALSE(set->changes[0].disturbed);
  CHECK(set->changes[1].disturbed);
}

TEST_CASE("a host that moves its files about meanwhile costs the run none of its other changes") {
  Scene scene;
  scene.tree.file("upper/f", "new");
  scene.tree.file("upper/d/g", "new");
  scene.tree.file("upper/mine", "new");
  std::atomic<bool> done = false;
  std::thread host([&] {
    const std::string f = scene.lower + "/f";
    const std::string d = scene.lower + "/d";
    while (!done) {
      scene.tree.file("lower/f", "host");
      scene.tree.file("lower/d/g", "host");
      std::error_code ignored;
      fs::remove_all(d, ignored);
      fs::create_symlink("/etc", d, ignored);
      fs::remove(f, ignored);
      fs::remove(d, ignored);
    }
  });
  int failed = 0;
  int without = 0;
  for (int i = 0; i < 500; ++i) {
    const auto set = scene.read(0);
    if (!set) ++failed;
    if (set && !kinds_of(*set).contains("mine")) ++without;
  }
  done = true;
  host.join();
  CHECK(failed == 0);
  CHECK(without == 0);
}

TEST_CASE("a copy: what it lacks is deleted, but not what the host has made since") {
  Scene scene;
  for (const char* name : {"same", "changed", "gone", "old/inner", "d/e/f"}) {
    scene.tree.file("lower/" + std::string(name), "x");
    scene.tree.file("upper/" + std::string(name), "x");
  }
  const std::int64_t began = now_ns();
  std::this_thread::sleep_for(kTick);
  scene.tree.file("upper/changed", "by the run");
  fs::remove(scene.upper + "/gone");
  fs::remove_all(scene.upper + "/old");
  scene.tree.file("lower/made", "by the host");
  scene.tree.file("lower/d/made/f", "by the host");
  const auto set = scene.read(began, true);
  REQUIRE(set.has_value());
  using enum EntryKind;
  const auto kinds = kinds_of(*set);
  CHECK(kinds.size() == 4);
  CHECK(kinds.at("changed") == std::pair{file, file});
  CHECK(kinds.at("gone") == std::pair{file, absent});
  CHECK(kinds.at("old") == std::pair{folder, absent});
  CHECK(kinds.at("old/inner") == std::pair{file, absent});
  CHECK(set->omitted.empty());
  for (const Change& change : set->changes) CHECK_FALSE(change.disturbed);
}

TEST_CASE("a copy: a deletion of what the host has changed meanwhile is told, and not made") {
  Scene scene;
  scene.tree.file("lower/gone", "x");
  const std::int64_t began = now_ns();
  std::this_thread::sleep_for(kTick);
  scene.tree.file("lower/gone", "by the host");
  const auto set = scene.read(began, true);
  REQUIRE(set.has_value());
  CHECK(set->changes.empty());
  REQUIRE(set->omitted.size() == 1);
  CHECK(set->omitted[0].path == "gone");
}

TEST_CASE("who asks to end while a layer is read is heard at its next name") {
  Scene scene;
  for (int i = 0; i < 10; ++i) scene.tree.file("upper/" + std::to_string(i), "x");
  int asked = 0;
  const auto set = scene.read(0, false, [&asked] { return ++asked == 5; });
  REQUIRE_FALSE(set.has_value());
  CHECK(set.error().value == ECANCELED);
  CHECK(asked == 5);
}

TEST_CASE("what an overlay obeys is no change: named where the run has set it, never the host's") {
  Scene scene;
  bool copy = false;
  SUBCASE("of a layer, where they are escaped") {}
  SUBCASE("of a copy") { copy = true; }
  const char* const set_by_run = copy ? "user.overlay.metacopy" : "user.overlay.overlay.metacopy";
  for (const std::string name : {"run", "host"}) {
    for (const char* const side : {"upper/", "lower/"}) scene.tree.file(side + name, "x");
    REQUIRE(::setxattr((scene.upper + "/" + name).c_str(), set_by_run, "y", 1, 0) == 0);
    REQUIRE(::setxattr((scene.upper + "/" + name).c_str(), "user.kept", "y", 1, 0) == 0);
  }
  REQUIRE(::setxattr((scene.lower + "/host").c_str(), "user.overlay.metacopy", "y", 1, 0) == 0);
  const auto set = scene.read(now_ns(), copy);
  REQUIRE(set.has_value());
  REQUIRE(set->changes.size() == 2);
  for (const Change& change : set->changes) {
    CHECK(change.before.attributes.empty());
    CHECK(change.after.attributes == std::vector<Attribute>{{"user.kept", "y"}});
  }
  REQUIRE(set->omitted.size() == 1);
  CHECK(set->omitted[0].path == "run");
  CHECK(set->omitted[0].why.find("overlays obey") != std::string::npos);
}

}  // namespace
}  // namespace sbx::changes
