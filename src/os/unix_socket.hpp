// Stream sockets that are files of a folder, and who stands at the other end of one.
#pragma once

#include <chrono>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// A non-blocking socket that listens at `name` in `folder`. For a moment it is there and does not
/// listen yet, as one whose maker is gone.
SysResult<UniqueFd> listen_in(int folder, const char* name);

/// The next one who waits at `listener`, non-blocking. EAGAIN: nobody does.
SysResult<UniqueFd> accept_from(int listener);

/// Connects to `name` in `folder`; the socket then blocks for `patience` at most. ECONNREFUSED:
/// whoever made the file is gone, or has just made it. EAGAIN: alive, but too many wait there
/// already.
SysResult<UniqueFd> connect_in(int folder, const char* name, std::chrono::milliseconds patience);

/// May the peer of `client` steer what is ours? Root and our own user may, but nobody inside of a
/// sandbox, whose payload can have our uid.
bool peer_may_steer(int client);

}  // namespace sbx::os
