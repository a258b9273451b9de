#include "os/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"
#include "os/pipe.hpp"
#include "os/whole_file.hpp"

// Linux 6.3; glibc's headers here do not have it.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace sbx::os {
namespace {

/// How much a pipe took at once: all of `bytes`, or less than that.
std::size_t fill(int pipe, std::string_view bytes) {
  if (!set_nonblocking(pipe)) return 0;
  const ssize_t written = ::write(pipe, bytes.data(), bytes.size());
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

}  // namespace

SysResult<UniqueFd> make_memory_file(const char* name) {
  UniqueFd file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL));
  if (!file.valid() && errno == EINVAL)  // an older kernel
    file.reset(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid()) return fail();
  return file;
}

SysResult<UniqueFd> readable_bytes(std::string_view bytes) {
  constexpr std::size_t kPipe = std::size_t{64} * 1024;
  if (bytes.size() <= kPipe) {
    Pipe pipe = SBX_TRY(make_pipe(0));
    // A pipe may have less room than usual (pipe(7), pipe-user-pages-soft).
    if (bytes.empty() || fill(pipe.write.get(), bytes) == bytes.size()) return std::move(pipe.read);
  }
  UniqueFd file = SBX_TRY(make_memory_file("sbx-input"));
  SBX_CHECK(write_all(file.get(), bytes));
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
          0 ||
      ::lseek(file.get(), 0, SEEK_SET) != 0)
    return fail();
  return file;
}

SysResult<MappedFile> MappedFile::map(int fd) {
  struct ::stat about{};
  if (::fstat(fd, &about) != 0) return fail();
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return fail();
  return MappedFile(static_cast<char*>(memory), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

}  // namespace sbx::os
