#include "images/account.hpp"

#include "base/account_file.hpp"
#include "base/text.hpp"

namespace sbx::images {

Account find_account(std::string_view user, std::string_view passwd, std::string_view group) {
  Account account;
  if (user.empty()) return account;
  const std::size_t colon = user.find(':');
  const std::string_view name = user.substr(0, colon);
  const auto number = parse_account_id(name);
  const auto line = number ? find_account_id(passwd, *number) : find_account_name(passwd, name);
  if (!number && !line) {
    account.problem = "its /etc/passwd has no user " + quote(name.substr(0, 80));
    return account;
  }
  account.uid = number ? *number : line->id;
  if (line) account.gid = line->group;
  if (colon == std::string_view::npos) return account;
  const std::string_view group_name = user.substr(colon + 1);
  account.gid = parse_account_id(group_name);
  if (account.gid) return account;
  const auto group_line = find_account_name(group, group_name);
  if (group_line)
    account.gid = group_line->id;
  else
    account.problem = "its /etc/group has no group " + quote(group_name.substr(0, 80));
  return account;
}

}  // namespace sbx::images
