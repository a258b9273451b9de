#include "changes/store.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "../support/temp_tree.hpp"

namespace sbx::changes {
namespace {

ChangeSet set_of(const std::string& run) {
  ChangeSet set;
  set.run = run;
  return set;
}

TEST_CASE("who sweeps never takes what another run commits at that moment") {
  const test::TempTree tree;
  ::setenv("XDG_STATE_HOME", tree.path().c_str(), 1);
  std::atomic<bool> done = false;
  std::thread sweeper([&done] {
    auto store = Store::open(true).value();
    while (!done) (void)store.stage("swept").value();
  });
  auto store = Store::open(true).value();
  int lost = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string run = "20261123-000000-" + std::to_string(i);
    auto staging = store.stage(run).value();
    REQUIRE(staging.commit(set_of(run)).has_value());
    const auto kept = store.find(run, Store::Use::change);
    if (!kept || !read_changes(*kept) || !store.remove(*kept)) ++lost;
  }
  done = true;
  sweeper.join();
  CHECK(lost == 0);
  CHECK(store.runs().value().empty());
}

TEST_CASE("what is not committed goes, and what nobody holds is swept by the next") {
  const test::TempTree tree;
  ::setenv("XDG_STATE_HOME", tree.path().c_str(), 1);
  auto store = Store::open(true).value();
  const std::string folder = tree.path() + "/sbx/changes";
  {
    const auto staging = store.stage("dropped").value();
    REQUIRE(staging.create_object(1).has_value());
    CHECK(std::filesystem::exists(folder + "/.dropped/1"));
  }
  CHECK_FALSE(std::filesystem::exists(folder + "/.dropped"));
  std::filesystem::create_directories(folder + "/.killed/deep/er");
  const auto staging = store.stage("next").value();
  CHECK_FALSE(std::filesystem::exists(folder + "/.killed"));
  CHECK(std::filesystem::exists(folder + "/.next"));
  CHECK(store.runs().value().empty());
}

}  // namespace
}  // namespace sbx::changes
