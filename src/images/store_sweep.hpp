// The folders of the store by descriptor, and what of them goes.
#pragma once

#include <string>

#include "os/fd.hpp"

namespace sbx::images {

/// Invalid: there is none of that name, or it is a link.
os::UniqueFd open_inner(int store, const std::string& name);

/// Removes what killed runs have left of theirs. What cannot be removed stays.
void sweep_unfinished(int store);

/// And images that nobody has used for 30 days, and links to images that are gone.
void sweep(int store);

}  // namespace sbx::images
