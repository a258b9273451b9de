// Times of files as numbers: a payload gives its own any that the file system can have, also those
// before the epoch, and some that no number of nanoseconds can tell.
#pragma once

#include <time.h>

#include <cstdint>

namespace sbx::changes {

/// Since the epoch; the nearest where there is none.
std::int64_t nanoseconds(const ::timespec& time);

/// The same as utimensat(2) takes it.
::timespec time_of(std::int64_t nanoseconds);

}  // namespace sbx::changes
