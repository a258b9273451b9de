// Which file write_file is about to put in its place, and has not yet: written down in the
// session's folder, so that whoever inherits that can take away what a killed server has left.
#pragma once

#include <string>

#include "base/error.hpp"

namespace sbx::mcp {

/// A name that only write_file gives: random, and none of anybody's own files.
SysResult<std::string> unfinished_name();

/// The file `name` may come to be in `folder` ("": the top) of the workspace at `top`, absolute.
/// `session`: the session's folder.
SysResult<void> note_write(int session, const std::string& top, const std::string& folder,
                           const std::string& name);
/// It is in its place, or gone.
void forget_write(int session);
/// Removes what is noted, if it is there: with the rights that commands have in the workspace, of
/// which they can have made anything meanwhile.
void clear_write(int session);

}  // namespace sbx::mcp
