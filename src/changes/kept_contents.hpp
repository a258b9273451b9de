// The contents behind a kept run's changes, for who shows them: what the run left from the store,
// what it found from the workspace, as long as that is still what it was.
#pragma once

#include <sys/stat.h>

#include <expected>
#include <map>
#include <string>
#include <utility>

#include "changes/change.hpp"
#include "changes/store.hpp"
#include "changes/view_contents.hpp"

namespace sbx::changes {

class KeptContents {
 public:
  /// `workspace`: -1 when it is gone. Both stay the caller's.
  KeptContents(const KeptRun& kept, int workspace) : kept_(kept), workspace_(workspace) {}

  /// Lost are, too, what is too large and what is no file.
  [[nodiscard]] std::expected<std::string, Lack> read(const Change& change, bool after);

 private:
  struct Digested {
    struct ::stat what{};
    std::string digest{};
  };

  /// `linked`: it stands for several names, whatever it has itself.
  [[nodiscard]] SysResult<std::string> digest_of(int file, bool linked);

  const KeptRun& kept_;
  int workspace_;
  /// A file of many names has one content, which is digested once.
  std::map<std::pair<::dev_t, ::ino_t>, Digested> digested_{};
};

}  // namespace sbx::changes
