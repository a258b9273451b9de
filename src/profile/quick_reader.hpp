// A reader for the plain core of YAML that the built-in profiles and most others are written in: it
// makes the same nodes as yaml-cpp in a hundredth of the time, and hands over whatever is not
// plainly in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/node.hpp"

namespace sbx::profile {

/// The document, or nullopt for text that needs the full parser (errors of any kind included).
/// `text` has passed check_text.
std::optional<Node> read_quickly(const std::string& file, std::string_view text);

}  // namespace sbx::profile
