// Profile text to nodes with places. yaml-cpp and its exceptions stop here; what a profile may not
// contain (other documents, foreign tags, bombs, control bytes) is refused here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "profile/node.hpp"

namespace sbx::profile {

inline constexpr std::size_t kMaxFileSize = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxDepth = 64;
/// Lists, maps and scalars together, aliases counted as often as they are used.
inline constexpr std::size_t kMaxNodes = 10'000;

/// Parses one document; problems go to `findings` with places in `file`. nullopt when there is no
/// tree to work on; duplicate keys and wrong tags are reported but leave one.
std::optional<Node> read_yaml(const std::string& file, std::string_view text, Findings& findings);

/// The same by yaml-cpp alone, for text that has passed check_text; tests compare the two.
std::optional<Node> parse_fully(const std::string& file, std::string_view text, Findings& findings);

}  // namespace sbx::profile
