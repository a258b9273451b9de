#include "os/secret_memory.hpp"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/fail.hpp"

namespace sbx::os {

SecretMemory::SecretMemory(SecretMemory&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      text_(std::exchange(other.text_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SecretMemory& SecretMemory::operator=(SecretMemory&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(mapped_, other.mapped_);
  std::swap(text_, other.text_);
  std::swap(size_, other.size_);
  return *this;
}

SecretMemory::~SecretMemory() {
  if (memory_ == nullptr) return;
  wipe();
  ::munmap(memory_, mapped_);
}

SysResult<SecretMemory> SecretMemory::make(std::string_view variable) {
  SecretMemory made;
  made.mapped_ = variable.size() + 1 + kMost + 2;  // '=', one byte too many, and the NUL
  void* const memory = ::mmap(nullptr, made.mapped_, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return fail();
  made.memory_ = static_cast<char*>(memory);
  if (::madvise(memory, made.mapped_, MADV_DONTDUMP) != 0) return fail();
  // RLIMIT_MEMLOCK may be too small for it, and then it is as any other memory.
  (void)::mlock2(memory, made.mapped_, MLOCK_ONFAULT);
  std::ranges::copy(variable, made.memory_);
  made.text_ = made.memory_;
  if (variable.empty()) return made;
  made.memory_[variable.size()] = '=';
  made.text_ += variable.size() + 1;
  return made;
}

std::span<char> SecretMemory::room() noexcept {
  return {text_ + size_, kMost + 1 - std::min(size_, kMost + 1)};
}

void SecretMemory::strip_newline() noexcept {
  if (size_ != 0 && text_[size_ - 1] == '\n') text_[--size_] = '\0';
}

void SecretMemory::wipe() noexcept {
  if (text_ != nullptr) ::explicit_bzero(text_, std::min(size_ + 1, kMost + 2));
  size_ = 0;
}

}  // namespace sbx::os
