// The text of a file that the caller names: profiles, variables.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::cli {

/// What is read, for messages.
struct TextFile {
  ErrorKind kind = ErrorKind::usage;
  std::string name{};       ///< as the caller wrote it, printable
  std::string_view what{};  ///< "this profile"
  bool may_be_pipe = false;
};

/// All that `fd` has, which is opened with O_NONBLOCK: at most 1 MiB, of a file or, if it may be
/// one, of a pipe, for whose writer is waited. Errors have the file's kind, and its name in
/// `where`.
Result<std::string> read_text(int fd, const TextFile& file);

}  // namespace sbx::cli
