// Artifacts out of the store again, each checked against its digest on the way: a damaged one is
// never handed out, nor half of one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "artifacts/store.hpp"
#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::artifacts {

/// The content, open. It stays whole when its run is removed meanwhile: who reads all of it, or
/// waits for somebody, is to let go of the store before.
Result<os::UniqueFd> open_content(const Opened& store, const Artifact& artifact);

/// Is the open content what the digest says?
Result<void> check(int content, const Artifact& artifact);
/// Both.
Result<os::UniqueFd> open_checked(const Opened& store, const Artifact& artifact);

/// Passes the content, open and checked, on in pieces.
using Sink = std::function<Result<void>(std::string_view)>;
Result<void> send(int content, const Artifact& artifact, const Sink& sink);

/// Makes the file at its path below the folder `to`, of the open content, once it is checked:
/// folders on the way as needed, through no link, never out of it. A file with another content that
/// is there already stays, and is an error.
Result<void> write_below(int content, const Artifact& artifact, int to);

}  // namespace sbx::artifacts
