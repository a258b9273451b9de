// The lines of passwd(5) and group(5), which of somebody else's root are hostile text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sbx {

struct AccountLine {
  std::uint32_t id = 0;
  std::optional<std::uint32_t> group{};  ///< passwd: of the user's first group
};

/// An id in decimals; the kernel's id of nobody at all, (uid_t)-1, is none.
std::optional<std::uint32_t> parse_account_id(std::string_view text);

/// The first line of `file` that has this name.
std::optional<AccountLine> find_account_name(std::string_view file, std::string_view name);

/// The first line of `file` that has this id.
std::optional<AccountLine> find_account_id(std::string_view file, std::uint32_t id);

}  // namespace sbx
