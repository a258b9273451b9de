// What this process holds while it only waits.
#pragma once

namespace sbx::os {

/// Lets go of the pages of our own code and constants; what is needed again comes back from the
/// page cache. A sandbox that lives then costs a third of a megabyte instead of two.
void release_code() noexcept;

}  // namespace sbx::os
