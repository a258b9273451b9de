// Whom an image wants its command to be, looked up in its own /etc/passwd and /etc/group, which are
// hostile text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::images {

struct Account {
  std::optional<std::uint32_t> uid{};
  std::optional<std::uint32_t> gid{};
  std::string problem{};  ///< not empty: why there is none; a clause
};

/// `user`: "", "uid", "name", or one of them with ":gid" or ":group" after it. A user without a
/// group gets the one that passwd says.
Account find_account(std::string_view user, std::string_view passwd, std::string_view group);

}  // namespace sbx::images
