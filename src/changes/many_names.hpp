// Files of the host that have several names are read once, and not for each of them: a large one
// with a hundred thousand costs whoever makes it nothing, and to read it as often takes hours.
#pragma once

#include <sys/stat.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "changes/change.hpp"

namespace sbx::changes {

class ManyNames {
 public:
  /// As look_at(): the entry `name`, which fstatat(2) says is `what`.
  SysResult<Entry> look(int folder, const std::string& name, const struct ::stat& what);
  SysResult<Entry> look(int folder, const std::string& name);

 private:
  struct Read {
    struct ::stat what;
    Entry entry;
  };
  std::map<::ino_t, Read> read_;
};

}  // namespace sbx::changes
