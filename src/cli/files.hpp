// The files that the command line names: profiles are read, results and events are written.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::cli {

/// The caller's directory, absolute; kRemovedDirectory (base/lexical_path.hpp) when it is no more.
Result<std::string> current_directory();

enum class ProfileFile {
  named,  ///< by the caller: may be a pipe, for whose writer is waited
  found,  ///< in a folder of profiles, where a pipe would hold up who only lists them
};
/// The text of the profile at `path`, of at most 1 MiB. Errors have the kind `profile` and `path`
/// in `where`; a missing file has errno ENOENT.
Result<std::string> read_profile(const std::string& path, ProfileFile how);

/// How long FIFOs may have no reader, all that are opened with the same one together. One may get
/// its reader after us; but a command may have left one here, that nobody reads.
class Patience {
 public:
  /// Waits for a moment; false: for no longer.
  bool wait();

 private:
  int left_ms_ = 5000;
};

/// Is it that nobody reads a FIFO, what open_patiently() has failed with?
bool is_unread(const std::string& target, int error);
inline constexpr const char* kUnreadHint = "start its reader, or remove it: a file takes its place";

/// open(2) for writing, with `flags`, that waits for the reader of a FIFO.
SysResult<os::UniqueFd> open_patiently(const std::string& target, int flags, Patience& patience);

/// Where the result object goes, looked at before the run and written once after it. A file is
/// complete or absent: it is written beside its place and then moved there. Move-only.
class ResultFile {
 public:
  /// `target`: FILE or "fd:N". Fails, kind usage, when it cannot be written to.
  /// `flag`: who named it, for messages.
  static Result<ResultFile> open(const std::string& target, std::string_view flag,
                                 Patience& patience);
  /// The descriptor that takes the object as it is, or -1: write() makes a file.
  [[nodiscard]] int stream() const { return fd_.get(); }
  /// Makes or replaces the file: `json` and a line end.
  [[nodiscard]] Result<void> write(std::string_view json) const;

 private:
  [[nodiscard]] SysResult<void> replace(std::string_view text) const;

  std::string target_;
  std::string flag_;
  std::string name_;  ///< in folder_; empty: fd_ is written to directly
  os::UniqueFd folder_;
  os::UniqueFd fd_;
};

/// The open, close-on-exec descriptor for `--events TARGET` (FILE, made empty, or "fd:N").
Result<os::UniqueFd> open_stream(const std::string& target, std::string_view flag,
                                 Patience& patience);

/// Do both targets, of which each may be empty, name the same file? Also as ./FILE, or by another
/// way to its folder.
bool same_file(const std::string& one, const std::string& other);

}  // namespace sbx::cli
