// What is in a folder, and how much of it anybody wants to know.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "os/fd.hpp"
#include "os/folder.hpp"

using namespace sbx::os;

TEST_CASE("a folder with more names than are wanted is an error, not a long list") {
  char path[] = "/tmp/sbx-names-XXXXXX";
  REQUIRE(::mkdtemp(path) != nullptr);
  const UniqueFd folder(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const char* name : {"b", "c", "a"})
    UniqueFd(::openat(folder.get(), name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::vector<std::string> all{"a", "b", "c"};
  CHECK(list_names(folder.get()).value() == all);
  CHECK(list_names(folder.get(), 3).value() == all);
  const auto more = list_names(folder.get(), 2);
  REQUIRE_FALSE(more.has_value());
  CHECK(more.error().value == E2BIG);
  for (const std::string& name : all) ::unlinkat(folder.get(), name.c_str(), 0);
  ::rmdir(path);
}
