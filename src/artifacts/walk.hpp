// The files that patterns name, in the tree that a payload has seen: by descriptor, name by name,
// never through a link, and with no more rights than the payload had.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/path_pattern.hpp"
#include "os/borrowed_rights.hpp"
#include "os/fd.hpp"

namespace sbx::artifacts {

/// What was met and is not looked at further.
struct Skipped {
  std::uint64_t links = 0;    ///< symbolic ones that a wildcard has met
  std::uint64_t special = 0;  ///< FIFOs, sockets, devices, and files that the kernel makes up
  std::uint64_t closed = 0;   ///< the payload could not have read them
  std::uint64_t deep = 0;     ///< folders nested too deep
  bool too_many = false;      ///< a folder with so many names that it was not looked into
  std::vector<std::string> written_links{};  ///< those that a pattern has written out
};

/// A regular file that a pattern means, or that is in a folder which a pattern means.
struct Found {
  const std::string& path;  ///< absolute
  const struct ::stat& what;
};

class Walk {
 public:
  /// Whether the file is wanted.
  using Wanted = std::function<bool(const Found&)>;
  /// A wanted one, open for reading; called with our own rights.
  using Take = std::function<Result<void>(const Found&, os::UniqueFd)>;

  /// `root`: of the tree, O_PATH. `ids`: started by root, whose rights the payload had.
  Walk(int root, std::optional<os::Ids> ids, const std::vector<std::string>& patterns);

  /// In the order of their names, folder by folder. Ends with the first error of `take`.
  Result<void> run(const Wanted& wanted, const Take& take);
  [[nodiscard]] const Skipped& skipped() const { return skipped_; }

 private:
  using States = std::vector<PathPattern::States>;
  struct Entry;

  [[nodiscard]] States start() const;
  /// None: no pattern leads there. `all`: one means it.
  [[nodiscard]] std::optional<States> step(const States& from, const std::string& name,
                                           bool& all) const;
  Result<void> enter(int folder, const States& states, bool all, int depth);
  Result<void> visit(int folder, const std::string& name, const States& states, bool all,
                     int depth);
  Result<void> look(int folder, const std::string& name, const States& states, bool all, int depth);
  void skip_link();
  Result<void> take_file(int folder, const std::string& name, const struct ::stat& what);

  int root_;
  os::BorrowedRights rights_;
  std::vector<std::unique_ptr<PathPattern>> patterns_;
  std::vector<std::string> written_;  ///< of each pattern: see written_out()
  const Wanted* wanted_ = nullptr;
  const Take* take_ = nullptr;
  std::string path_{};  ///< of where we are; "" is the root
  std::size_t seen_ = 0;
  Skipped skipped_{};
};

}  // namespace sbx::artifacts
