// A list of processors that the kernel has taken, and what the group then has of them.
#include "os/cpuset.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "os/fd.hpp"

namespace {

/// What check_processors() says of a v2 group with these; 0: nothing.
int error_of(const std::string& wanted, const std::string& there) {
  std::string folder = "/tmp/sbx-cpuset-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::ofstream(folder + "/cpuset.cpus.effective") << there << "\n";
  const sbx::os::UniqueFd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto checked = sbx::os::check_processors(open.get(), 2, wanted);
  std::filesystem::remove_all(folder);
  return checked ? 0 : checked.error().value;
}

}  // namespace

TEST_CASE("a group with other processors than it was to have is none") {
  CHECK(error_of("0", "0") == 0);
  CHECK(error_of("0-3,8", "0-3,8") == 0);
  CHECK(error_of("0,1,2", "0-2") == 0);
  CHECK(error_of("1-5", "1-3") == 0);  // the others are not there: less than was allowed
  CHECK(error_of("5", "0-3") == ERANGE);
  CHECK(error_of("2-5", "0-3") == ERANGE);
  CHECK(error_of("0", "") == ERANGE);
  CHECK(error_of("0", "nonsense") == ERANGE);
}
