// What a change set weighs: names, targets and attributes that the payload has chosen, in the
// memory of the supervisor and of everybody who reads the set later, several times over.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "changes/change.hpp"

namespace sbx::changes {

class Weight {
 public:
  /// E2BIG: it is more than a set may weigh, or one path is longer than a set has any.
  SysResult<void> add(const Change& change);
  SysResult<void> add(const Omission& omission);

 private:
  SysResult<void> add(const std::string& path, std::size_t rest);

  std::size_t sum_ = 0;
};

}  // namespace sbx::changes
