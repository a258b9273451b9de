// diff and apply, and what a run_* tool answers: from what sbx knows to what a client reads.
#pragma once

#include "mcp/answer.hpp"
#include "mcp/kept_files.hpp"
#include "mcp/workspace.hpp"

namespace sbx::mcp {

/// The tools of these names. What the client got wrong, and what the session cannot do, is an
/// answer with is_error.
Answer diff(const Json& arguments, const Workspace& workspace);
Answer apply(const Json& arguments, Workspace& workspace);

/// `result`: the object of `sbx run --json`. Brings the run's changes into the workspace.
Answer run_answer(const Json& result, Workspace& workspace, Workspace::Meanwhile meanwhile,
                  KeptFiles& kept);

}  // namespace sbx::mcp
