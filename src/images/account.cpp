#include "images/account.hpp"

#include "base/account_file.hpp"
#include "base/text.hpp"

namespace sbx::images {

Account find_account(std::string_view user, std::string_view passwd, std::string_view group) {
  if (user.empty()) return {};
  const std::size_t colon = user.find(':');
  const std::string_view name = user.substr(0, colon);
  const auto number = parse_account_id(name);
  const auto line = number ? find_account_id(passwd, *number) : find_account_name(passwd, name);
  if (!number && !line)
    return {.problem = "its /etc/passwd has no user " + quote(name.substr(0, 80))};
  const std::uint32_t uid = number ? *number : line->id;
  if (colon == std::string_view::npos)
    return {.uid = uid, .gid = line ? line->group : std::nullopt};
  const std::string_view group_name = user.substr(colon + 1);
  if (const auto gid = parse_account_id(group_name)) return {.uid = uid, .gid = gid};
  if (const auto found = find_account_name(group, group_name))
    return {.uid = uid, .gid = found->id};
  return {.problem = "its /etc/group has no group " + quote(group_name.substr(0, 80))};
}

}  // namespace sbx::images
