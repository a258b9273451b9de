#include "base/account_file.hpp"

#include <vector>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx {
namespace {

/// The first line that `wanted`, which gets a name and an id, says yes to.
template <typename Wanted>
std::optional<AccountLine> find_line(std::string_view file, const Wanted& wanted) {
  for (const std::string_view text : split(file, '\n')) {
    const std::vector<std::string_view> fields = split(text, ':');
    if (fields.size() < 3) continue;
    const auto id = parse_account_id(fields[2]);
    if (!id || !wanted(fields[0], *id)) continue;
    return AccountLine{*id, fields.size() > 3 ? parse_account_id(fields[3]) : std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> parse_account_id(std::string_view text) {
  const auto value = parse_number<std::uint32_t>(text);
  return value == UINT32_MAX ? std::nullopt : value;
}

std::optional<AccountLine> find_account_name(std::string_view file, std::string_view name) {
  return find_line(file, [name](std::string_view has, std::uint32_t) { return has == name; });
}

std::optional<AccountLine> find_account_id(std::string_view file, std::uint32_t id) {
  return find_line(file, [id](std::string_view, std::uint32_t has) { return has == id; });
}

}  // namespace sbx
