// Unpacking in a child that has no capability, may reach nothing but the source and its own folder
// (Landlock, where the kernel has it), and makes few system calls (seccomp): whoever takes it over
// with a crafted image has won nothing but the contents of that image.
#pragma once

#include <functional>

#include "images/unpack.hpp"

namespace sbx::images {

/// unpack() in there. `wanted` is asked here, not in the child.
Result<void> unpack_confined(const UnpackRequest& request,
                             const std::function<bool(const std::string&)>& wanted);

}  // namespace sbx::images
