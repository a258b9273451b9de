// The three-way check: may a change be made to what stands in the workspace now?
#pragma once

#include <string>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/tree.hpp"

namespace sbx::changes {

enum class Standing {
  to_do,     ///< the workspace has what the run found
  done,      ///< it has what the run left
  conflict,  ///< it has something else
};

struct Judgement {
  Standing standing = Standing::to_do;
  std::string why{};  ///< of a conflict
  Entry now{};
};

/// `change` is no passage. Reads the file, if it is one.
Judgement judge(const Change& change, Workspace& workspace);

}  // namespace sbx::changes
