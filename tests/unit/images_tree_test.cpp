#include <doctest/doctest.h>
#include <fcntl.h>

#include <filesystem>
#include <string>

#include "../support/temp_tree.hpp"
#include "images/tree_writer.hpp"

namespace sbx::images {
namespace {

TEST_CASE("folders that only the names of others tell of count as well") {
  const test::TempTree tree;
  const os::UniqueFd root(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const os::UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  Budget budget{.bytes = 1 << 20, .entries = 5};
  LayerReader layer =
      LayerReader::open({zeros.get(), 0, 10240}, budget).value();  // an empty archive
  TreeWriter writer(root.get(), 1000, budget);
  const auto put = [&](const std::string& name) {
    return writer.put({.type = MemberType::folder, .name = name}, layer);
  };
  REQUIRE(put("a/b/c/d"));
  CHECK(budget.entries == 2);
  REQUIRE(put("a/b/c/e"));
  CHECK(budget.entries == 2);
  const auto refused = put("x/y/z/last");
  REQUIRE(!refused);
  CHECK(refused.error().what.contains("too many files and folders"));
  CHECK(std::filesystem::exists(tree.path() + "/x/y"));
  CHECK(!std::filesystem::exists(tree.path() + "/x/y/z"));
}

}  // namespace
}  // namespace sbx::images
