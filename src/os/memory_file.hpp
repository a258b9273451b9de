// Files without a name, in memory.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// An empty one, close-on-exec, that no program can be run from. `name`: for /proc.
SysResult<UniqueFd> make_memory_file(const char* name);

/// A descriptor to read `bytes` from and then their end; nobody who has it can change them. A pipe
/// when they fit into one, which a payload can be handed as it is, otherwise a sealed file.
SysResult<UniqueFd> readable_bytes(std::string_view bytes);

/// All of a file in memory, read in place.
class MappedFile {
 public:
  static SysResult<MappedFile> map(int fd);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  [[nodiscard]] std::string_view text() const { return {memory_, size_}; }

 private:
  MappedFile(char* memory, std::size_t size) : memory_(memory), size_(size) {}
  char* memory_;
  std::size_t size_;
};

}  // namespace sbx::os
