// What a verb that starts sandboxes does first.
#pragma once

#include "base/error.hpp"

namespace sbx::cli {

/// Before anything is opened: no descriptor of the caller's above 2 may reach a payload, and a
/// reader that is gone (EPIPE) is an error, not our end. Fails with kind host.
Result<void> guard_process();

}  // namespace sbx::cli
