#include "images/account.hpp"

#include <vector>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx::images {
namespace {

/// The kernel's id of nobody at all, (uid_t)-1, is none.
std::optional<std::uint32_t> number_of(std::string_view text) {
  const auto value = parse_number<std::uint32_t>(text);
  return value == UINT32_MAX ? std::nullopt : value;
}

struct Line {
  std::uint32_t id = 0;
  std::optional<std::uint32_t> group{};
};

/// The first line of a file of passwd(5) or group(5) with this name, or with this id.
std::optional<Line> find_line(std::string_view file, std::string_view name,
                              std::optional<std::uint32_t> id) {
  for (const std::string_view text : split(file, '\n')) {
    const std::vector<std::string_view> fields = split(text, ':');
    if (fields.size() < 3) continue;
    const auto found = number_of(fields[2]);
    if (!found || (id ? *found != *id : fields[0] != name)) continue;
    return Line{*found, fields.size() > 3 ? number_of(fields[3]) : std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

Account find_account(std::string_view user, std::string_view passwd, std::string_view group) {
  Account account;
  if (user.empty()) return account;
  const std::size_t colon = user.find(':');
  const std::string_view name = user.substr(0, colon);
  const auto number = number_of(name);
  const auto line = find_line(passwd, name, number);
  if (!number && !line) {
    account.problem = "its /etc/passwd has no user " + quote(name.substr(0, 80));
    return account;
  }
  account.uid = number ? *number : line->id;
  if (line) account.gid = line->group;
  if (colon == std::string_view::npos) return account;
  const std::string_view group_name = user.substr(colon + 1);
  account.gid = number_of(group_name);
  if (account.gid) return account;
  const auto group_line = find_line(group, group_name, std::nullopt);
  if (group_line)
    account.gid = group_line->id;
  else
    account.problem = "its /etc/group has no group " + quote(group_name.substr(0, 80));
  return account;
}

}  // namespace sbx::images
