// The media type of a content by its first bytes. They are hostile, and libmagic reads them in a
// child of ours that has nothing: no file, no rights, a filter (os/confine.hpp), and little time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "os/fd.hpp"
#include "os/ids.hpp"

namespace sbx::artifacts {

class MediaTypes {
 public:
  /// Started by root the child is who `ids` says.
  explicit MediaTypes(std::optional<os::Ids> ids) : ids_(ids) {}
  MediaTypes(const MediaTypes&) = delete;
  MediaTypes& operator=(const MediaTypes&) = delete;
  ~MediaTypes() { end(); }

  /// "text/csv"; kUnknownType where nobody can tell. At most 1 MiB of `head` is looked at.
  std::string of(std::string_view head);
  /// Why types are unknown, for a warning; empty: nothing is wrong.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool start();
  void end();
  std::optional<std::string> ask(std::string_view head);

  std::optional<os::Ids> ids_;
  pid_t child_ = 0;
  os::UniqueFd line_{};
  int failures_ = 0;
  std::string problem_{};
};

}  // namespace sbx::artifacts
