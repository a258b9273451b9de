#include <doctest/doctest.h>
#include <poll.h>

#include <array>
#include <filesystem>

#include "../support/temp_tree.hpp"
#include "supervise/place_watch.hpp"

using namespace sbx::supervise;  // NOLINT(google-build-using-namespace)
using sbx::plan::WatchedPlace;
using sbx::test::TempTree;

namespace {

std::string broken(PlaceWatch& watch) {
  PollSet set;
  watch.watch(set);
  ::poll(set.data(), set.size(), 0);
  return watch.broken(set).value_or("");
}

}  // namespace

TEST_CASE("place watch: nothing to watch is nothing to wait for") {
  PlaceWatch watch;
  REQUIRE(watch.start({}));
  PollSet set;
  watch.watch(set);
  CHECK(set.size() == 0);
  CHECK(watch.clean().empty());
}

TEST_CASE("place watch: what comes into being is told and removed, what is replaced is told") {
  const TempTree tree;
  tree.file("a/config", "");
  const std::array places{WatchedPlace{tree.path("a"), "commondir", true},
                          WatchedPlace{tree.path("a"), "config", false}};
  PlaceWatch watch;
  REQUIRE(watch.start(places));
  tree.file("a/other", "");
  tree.file("a/config", "written, not replaced");
  CHECK(broken(watch).empty());
  CHECK(watch.clean().empty());
  tree.file("a/commondir", "");
  CHECK(broken(watch).contains("commondir came into being"));
  REQUIRE(watch.clean().size() == 1);
  CHECK_FALSE(std::filesystem::exists(tree.path("a/commondir")));
  tree.file("a/new", "");
  CHECK(broken(watch).empty());
  std::filesystem::rename(tree.path("a/new"), tree.path("a/config"));
  CHECK(broken(watch).contains("config was replaced"));
  CHECK(watch.clean().empty());
}

TEST_CASE("place watch: it was there for a moment") {
  const TempTree tree;
  const std::array places{WatchedPlace{tree.folder("a"), "commondir", true}};
  PlaceWatch watch;
  REQUIRE(watch.start(places));
  std::filesystem::remove(tree.file("a/commondir", ""));
  CHECK(broken(watch).contains("commondir"));
}

TEST_CASE("place watch: too many events for the kernel to tell") {
  const TempTree tree;
  const std::array places{WatchedPlace{tree.folder("a"), "commondir", true}};
  for (const bool made : {false, true}) {
    PlaceWatch watch;
    REQUIRE(watch.start(places));
    // The queue's length is a setting (fs.inotify.max_queued_events, 16384).
    for (int i = 0; i < 20'000; ++i)
      std::filesystem::remove(tree.file("a/" + std::to_string(i), ""));
    if (made) tree.file("a/commondir", "");
    std::string text;
    for (int i = 0; i < 100 && text.empty(); ++i) text = broken(watch);
    CHECK(text.empty() != made);
  }
}

TEST_CASE("place watch: what is wrong at the start is an error") {
  const TempTree tree;
  tree.file("a/commondir", "");
  tree.link("link", tree.path("a"));
  for (const char* folder : {"a", "none", "link"}) {
    const std::array places{WatchedPlace{tree.path(folder), "commondir", true}};
    CHECK_FALSE(PlaceWatch().start(places));
  }
}
