#include "changes/held.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/xattr.h>

#include <cerrno>

#include "../support/temp_tree.hpp"

namespace sbx::changes {
namespace {

TEST_CASE("attributes that an overlay obeys are not set, nor any beside them") {
  const test::TempTree tree;
  tree.file("f", "x");
  const os::UniqueFd folder(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto held = Held::open(folder.get(), "f");
  REQUIRE(held.has_value());
  for (const char* const name : {"user.overlay.opaque", "trusted.overlay.opaque"}) {
    const auto done = held->set_attributes(
        {.kind = EntryKind::file, .attributes = {{"user.a", "1"}, {name, "y"}}});
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().value == EPERM);
    CHECK(::getxattr(tree.path("f").c_str(), "user.a", nullptr, 0) < 0);
  }
}

}  // namespace
}  // namespace sbx::changes
