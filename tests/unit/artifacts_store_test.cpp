#include "artifacts/staging.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "../support/temp_tree.hpp"
#include "artifacts/gc.hpp"
#include "artifacts/retrieve.hpp"
#include "base/sha256.hpp"

namespace sbx::artifacts {
namespace {

Time at(int seconds) { return Time(std::chrono::seconds(seconds)); }

struct Scene {
  Scene() { ::setenv("XDG_STATE_HOME", tree.path().c_str(), 1); }

  /// A file with this text, open for reading.
  os::UniqueFd file(const std::string& text) const {
    const std::string path = tree.path() + "/file";
    std::filesystem::remove(path);
    std::ofstream(path) << text;
    return os::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  /// A run that keeps `text`, ended `when`.
  Artifact keep(const std::string& id, const std::string& text, int when = 1000,
                std::optional<Time> expires = std::nullopt) const {
    auto staging = Staging::make(id).value();
    const auto copied = staging.copy(file(text).get(), 1 << 20, {}).value();
    const Artifact artifact{"/out/" + id, copied.bytes, copied.sha256, "text/plain"};
    Run run;
    run.id = id;
    run.argv = {"echo", "two words", ""};
    run.ended_at = at(when);
    run.expires_at = expires;
    REQUIRE(staging.commit(run, {"{}", "[]"}, {artifact}).has_value());
    return artifact;
  }
  std::size_t contents() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/objects"))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  Opened opened(Use use) const { return Store::open(false).value().opened(use).value(); }

  test::TempTree tree;
  std::string folder = tree.path() + "/sbx/artifacts";
};

TEST_CASE("the same content of two runs is kept once, and stays as long as one has it") {
  const Scene scene;
  const Artifact first = scene.keep("20260101-000000-a", "same");
  CHECK(scene.keep("20260101-000001-b", "same", 2000).sha256 == first.sha256);
  CHECK(scene.contents() == 1);
  auto store = scene.opened(Use::change);
  const auto list = store.index().list({}).value();
  REQUIRE(list.size() == 2);
  CHECK(list[0].run->argv == std::vector<std::string>{"echo", "two words", ""});
  CHECK(list[0].artifact.path == "/out/20260101-000000-a");
  CHECK(store.find("20260101-000000").value().id == "20260101-000000-a");
  CHECK_FALSE(store.find("20260101").has_value());
  REQUIRE(store.remove({"20260101-000000-a"}).has_value());
  CHECK(scene.contents() == 1);
  REQUIRE(store.remove({"20260101-000001-b"}).has_value());
  CHECK(scene.contents() == 0);
}

TEST_CASE("what is not committed goes, and what a killed run has named already is swept") {
  const Scene scene;
  {
    auto staging = Staging::make("dropped").value();
    REQUIRE(staging.copy(scene.file("x").get(), 10, {}).has_value());
    CHECK(std::filesystem::exists(scene.folder + "/staging/dropped"));
  }
  CHECK_FALSE(std::filesystem::exists(scene.folder + "/staging/dropped"));
  // Killed after a content had got its name, and before the index knew.
  const Artifact kept = scene.keep("kept", "both");
  const std::string killed = scene.folder + "/staging/killed/";
  std::filesystem::create_directories(killed);
  const auto orphan = sha256_hex("orphan");
  std::ofstream(killed + orphan) << "orphan";
  std::ofstream(killed + kept.sha256) << "both";
  std::filesystem::create_directories(scene.folder + "/objects/" + orphan.substr(0, 2) + "/" +
                                      orphan.substr(2, 2));
  std::filesystem::create_hard_link(
      killed + orphan,
      scene.folder + "/objects/" + orphan.substr(0, 2) + "/" + orphan.substr(2, 2) + "/" + orphan);
  CHECK(scene.contents() == 2);
  const auto next = Staging::make("next").value();
  CHECK_FALSE(std::filesystem::exists(scene.folder + "/staging/killed"));
  CHECK(scene.contents() == 1);
}

TEST_CASE("a file that is longer than it may be is not copied, nor half of it") {
  const Scene scene;
  auto staging = Staging::make("run").value();
  const auto copied = staging.copy(scene.file("four").get(), 3, {});
  REQUIRE_FALSE(copied.has_value());
  CHECK(copied.error().error == EFBIG);
  CHECK_FALSE(copied.error().of_store);
  CHECK_FALSE(std::filesystem::exists(scene.folder + "/staging/run/0"));
}

TEST_CASE("a damaged content is told, and put right by a run that makes it again") {
  const Scene scene;
  const Artifact artifact = scene.keep("one", "content");
  const std::string object = scene.folder + "/objects/" + artifact.sha256.substr(0, 2) + "/" +
                             artifact.sha256.substr(2, 2) + "/" + artifact.sha256;
  std::filesystem::permissions(object, std::filesystem::perms::owner_all);
  std::ofstream(object) << "CONTENT";
  CHECK_FALSE(open_checked(scene.opened(Use::look), artifact).has_value());
  CHECK(find_damage(Store::open(false).value()).value().size() == 1);
  scene.keep("two", "content");
  CHECK(open_checked(scene.opened(Use::look), artifact).has_value());
  CHECK(find_damage(Store::open(false).value()).value().empty());
}

TEST_CASE("garbage: what is over, what is older, what does not fit") {
  const Scene scene;
  scene.keep("a", std::string(1000, 'a'), 1000, at(1500));
  scene.keep("b", std::string(1000, 'b'), 1200);
  scene.keep("c", std::string(1000, 'c'), 1400);
  scene.keep("d", std::string(1000, 'c'), 1450);
  auto store = scene.opened(Use::change);
  const auto ids = [](const Removed& removed) {
    std::string all;
    for (const Run& run : removed.runs) all += run.id;
    return all;
  };
  CHECK(ids(collect_garbage(store, {at(1499), {}, {}, true}).value()).empty());
  CHECK(ids(collect_garbage(store, {at(1500), {}, {}, true}).value()) == "a");
  CHECK(ids(collect_garbage(store, {at(1499), std::chrono::seconds(250), {}, true}).value()) ==
        "ab");
  const Removed fits = collect_garbage(store, {at(1499), {}, 2000, true}).value();
  CHECK(ids(fits) == "a");
  CHECK(fits.left_bytes == 2000);
  CHECK(scene.contents() == 3);
  CHECK(ids(collect_garbage(store, {at(1600), {}, 1000, false}).value()) == "ab");
  CHECK(scene.contents() == 1);
  CHECK(store.index().list({}).value().size() == 2);
}

TEST_CASE("a damaged index is one clear error, and a later format is not touched") {
  const Scene scene;
  scene.keep("a", "a");
  SUBCASE("damaged") {
    std::ofstream(scene.folder + "/index.db") << "no database, but long enough to be looked at";
    const auto store = Store::open(false).value().opened(Use::look);
    REQUIRE_FALSE(store.has_value());
    CHECK(store.error().what.find("is damaged") != std::string::npos);
    CHECK_FALSE(Staging::make("b").has_value());
  }
  SUBCASE("of a later version") {
    REQUIRE(Database::open(scene.folder + "/index.db").value()->run("PRAGMA user_version = 2"));
    const auto store = Store::open(false).value().opened(Use::look);
    REQUIRE_FALSE(store.has_value());
    CHECK(store.error().what.find("format 2") != std::string::npos);
  }
}

TEST_CASE("garbage is collected while runs name what is garbage at that moment") {
  const Scene scene;
  scene.keep("first", "x");
  std::atomic<bool> done = false;
  std::thread collector([&done] {
    while (!done) {
      auto store = Store::open(false).value().opened(Use::change).value();
      (void)collect_garbage(store, {at(5000), std::chrono::seconds(1), {}, false}).value();
    }
  });
  int lost = 0;
  for (int i = 0; i < 200; ++i) {
    const Artifact artifact = scene.keep("run" + std::to_string(i), "the same", 10'000);
    auto store = scene.opened(Use::change);
    if (!open_checked(store, artifact)) ++lost;
    REQUIRE(store.remove({"run" + std::to_string(i)}).has_value());
  }
  done = true;
  collector.join();
  CHECK(lost == 0);
}

}  // namespace
}  // namespace sbx::artifacts
