// read_file, write_file and list_files: of the workspace, in which commands have left whatever they
// like. By descriptor, beneath the folder, never through a link or onto another mount; as root with
// no more rights than a command has.
#pragma once

#include "mcp/answer.hpp"
#include "mcp/workspace.hpp"
#include "supervise/outcome.hpp"

namespace sbx::mcp {

/// `redactor`: masks what commands were given to keep for themselves; null: nothing.
Answer read_file(const Json& arguments, const Workspace& workspace,
                 const supervise::Redactor& redactor);
/// `meanwhile`: the runs that are under way.
Answer write_file(const Json& arguments, const Workspace& workspace,
                  const Workspace::Meanwhile& meanwhile);
Answer list_files(const Json& arguments, const Workspace& workspace);

}  // namespace sbx::mcp
