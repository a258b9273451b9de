// The content of a file is what is read of it, whatever its size and holes, and a small one takes
// no more room than it has.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
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

std::size_t largest_room = 0;  ///< of an array, since it was set

std::size_t room_for(const std::string& text) {
  const UniqueFd file = file_of(text);
  largest_room = 0;
  (void)digest_content(file.get());
  return largest_room;
}

}  // namespace

void* operator new[](std::size_t size) {
  largest_room = std::max(largest_room, size);
  if (void* const room = std::malloc(size)) return room;
  throw std::bad_alloc();
}
void operator delete[](void* room) noexcept { std::free(room); }
void operator delete[](void* room, std::size_t) noexcept { std::free(room); }

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

TEST_CASE("a small file is read into a small room") {
  CHECK(room_for("x\n") <= 4096);
  CHECK(room_for(std::string(std::size_t{1} << 20U, 'x')) > 100'000);
}
