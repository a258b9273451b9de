// The system calls that unpacking needs; every other one ends the process.
#pragma once

#include <linux/filter.h>

#include <span>

namespace sbx::images {

std::span<const sock_filter> unpack_filter();

}  // namespace sbx::images
