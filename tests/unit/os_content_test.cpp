// The content of a file is what is read of it, whatever its size and holes, and a small one costs
// no more than it has.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "os/content.hpp"
#include "os/fd.hpp"

using namespace sbx::os;

namespace {

UniqueFd file_of(const std::string& text) {
  UniqueFd file(::memfd_create("content", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return file;
}

std::string read_back(int fd, std::size_t size) {
  std::string text(size + 1, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

/// Of many, the shortest: what else the machine does takes no part in it.
template <class Work>
long fastest(const Work& work) {
  long best = std::numeric_limits<long>::max();
  for (int i = 0; i < 2000; ++i) {
    ::timespec begin{};
    ::timespec end{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &begin);
    work();
    (void)::clock_gettime(CLOCK_MONOTONIC, &end);
    best =
        std::min(best, (end.tv_sec - begin.tv_sec) * 1'000'000'000 + end.tv_nsec - begin.tv_nsec);
  }
  return best;
}

}  // namespace

TEST_CASE("a copy has every byte, and the digest of what it is a copy of") {
  constexpr std::size_t kBuffer = std::size_t{256} << 10U;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097},
        kBuffer - 1, kBuffer, kBuffer + 1, 3 * kBuffer + 5}) {
    CAPTURE(size);
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 23);
    if (size > kBuffer) std::fill_n(text.begin() + 8192, 20000, '\0');
    const UniqueFd from = file_of(text);
    const UniqueFd to(::memfd_create("copy", MFD_CLOEXEC));
    const auto copied = copy_content(from.get(), to.get());
    REQUIRE(copied.has_value());
    CHECK(copied->size == size);
    CHECK(read_back(to.get(), size) == text);
    CHECK(digest_content(to.get()).value().digest == copied->digest);
    if (size == 0) continue;
    text.back() = '!';
    CHECK(digest_content(file_of(text).get()).value().digest != copied->digest);
  }
}

TEST_CASE("a small file costs less than to clear the room of a large one") {
  const UniqueFd small = file_of("x\n");
  const long took = fastest([&] { (void)digest_content(small.get()); });
  const auto room = std::make_unique_for_overwrite<char[]>(std::size_t{256} << 10U);
  const long clearing = fastest([&] {
    std::fill_n(room.get(), std::size_t{256} << 10U, '\0');
    asm volatile("" : : "r"(room.get()) : "memory");
  });
  CHECK(took < clearing);
}
