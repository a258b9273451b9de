// The private folder of one server: two copies of the operator's workspace, the one that calls work
// on, and the one that says how it was; and what is to be known of writes that go on. It goes with
// the server, however that ends, and what nobody could remove is removed by the next.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "os/heir.hpp"

namespace sbx::mcp {

class SessionFolder {
 public:
  /// Makes it in the user's state folder. `id`: of the session. Removes what dead ones left.
  static Result<SessionFolder> make(const std::string& id);
  SessionFolder(SessionFolder&& other) noexcept = default;
  SessionFolder& operator=(SessionFolder&&) = delete;
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;
  ~SessionFolder();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int fd() const { return folder_.get(); }
  /// A new folder in it, open for reading.
  [[nodiscard]] Result<os::UniqueFd> make_folder(const char* name) const;
  void remove_folder(const char* name) const;

 private:
  explicit SessionFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
  os::UniqueFd folder_{};           ///< locked while anybody has it open
  std::optional<os::Heir> heir_{};  ///< removes it when we cannot
};

}  // namespace sbx::mcp
