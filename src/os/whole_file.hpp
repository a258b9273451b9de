// All of a file's bytes, however many calls of read(2) and write(2) that takes.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::os {

/// Writes `bytes` to a descriptor that blocks. Error: not all of them were written.
SysResult<void> write_all(int fd, std::string_view bytes);

/// What is left to be read, for who knows that it is not much.
SysResult<std::string> read_all(int fd);

}  // namespace sbx::os
