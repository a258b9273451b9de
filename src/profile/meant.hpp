// What somebody who has written an unknown key may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/keys.hpp"

namespace sbx::profile {

std::vector<std::string_view> names_of(std::span<const Key> keys);

/// What to write in place of a habit from elsewhere, the unknown key `name` in the section `path`
/// ("network", empty at the top); empty when it is none that is known.
std::string find_habit(std::string_view path, std::string_view name);

/// What the unknown key `name` may be meant for: one of `keys`, of which it could have been, or the
/// dotted path of one in another section; empty when there is none. `top`: no section is entered.
std::string find_meant(std::string_view name, std::span<const Key> keys, bool top);

}  // namespace sbx::profile
