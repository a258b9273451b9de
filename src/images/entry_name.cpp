#include "images/entry_name.hpp"

#include <climits>

#include "base/text.hpp"

namespace sbx::images {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kMeta = ".wh..wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";

Error refused(std::string_view path, std::string_view why) {
  return {.kind = ErrorKind::host,
          .what = "the image has an entry " + quote(path.substr(0, 200)) + std::string(why)};
}

}  // namespace

Result<EntryName> plain_name(std::string_view path) {
  EntryName result;
  if (path.contains('\0')) return std::unexpected(refused(path, " with a null byte in its name"));
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::unexpected(refused(path, ", which leads upwards"));
    if (part.size() > NAME_MAX)
      return std::unexpected(refused(path, ", a name of which is too long"));
    if (!result.name.empty()) result.parents.push_back(std::move(result.name));
    result.name = part;
    if (result.parents.size() >= kMaxNames)
      return std::unexpected(refused(path, ", which lies too deep"));
  }
  return result;
}

Result<EntryName> entry_name(std::string_view path) {
  EntryName result = SBX_TRY(plain_name(path));
  // A folder of that name would be one as well; no engine makes any.
  for (const std::string& parent : result.parents)
    if (parent.starts_with(kWhiteout))
      return std::unexpected(refused(path, " below a mark of what is removed"));
  if (!result.name.starts_with(kWhiteout)) return result;
  if (result.name == kOpaque) {
    result.role = Role::opaque;
  } else if (result.name.starts_with(kMeta)) {
    result.role = Role::ignored;
  } else {
    result.role = Role::whiteout;
    result.name.erase(0, kWhiteout.size());
    if (result.name.empty() || result.name == "." || result.name == "..")
      return std::unexpected(refused(path, ", which removes nothing that can be named"));
  }
  return result;
}

}  // namespace sbx::images
