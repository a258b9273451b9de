// --env-file: variables out of a file, in the format of docker run.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "cli/override.hpp"
#include "cli/read_text.hpp"
#include "os/open_without_links.hpp"
#include "profile/checks.hpp"

namespace sbx::cli {
namespace {

/// A start hands them over as one block of memory; and a profile has 10000 values at the most.
constexpr std::size_t kMost = 4096;

/// By name: what it is set to, or nothing for one that is the caller's.
using Variables = std::map<std::string, std::optional<std::string>, std::less<>>;

std::unexpected<Error> failed(std::string where, std::string what, std::string hint = {},
                              int error = 0) {
  return std::unexpected(
      Error{ErrorKind::usage, std::move(what), std::move(where), std::move(hint), error});
}

/// Of one that an earlier payload could have put there, no link is followed. `<(COMMAND)` is a link
/// of the system's own.
os::UniqueFd open_file(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return names_systems_link(path) ? os::UniqueFd(::open(path.c_str(), kFlags))
                                  : os::open_without_links(path);
}

Result<std::string> read_file(const std::string& path, const std::string& name) {
  constexpr std::string_view kWhat = "this file of variables";
  const os::UniqueFd fd = open_file(path);
  if (fd.valid()) return read_text(fd.get(), {.name = name, .what = kWhat, .may_be_pipe = true});
  const int error = errno;
  return failed(name, "cannot read " + std::string(kWhat),
                error == ELOOP   ? "it is a symbolic link; name the file itself"
                : error == EXDEV ? "it leads out of the current directory; name the file itself"
                                 : "",
                error);
}

/// No part of the line that may be a value is in the message.
Result<void> add_line(std::string_view line, const std::string& where, Variables& into) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f\r"), line.size()));
  if (line.empty() || line.starts_with('#')) return {};
  if (!is_utf8(line) || line.contains('\0'))
    return failed(where, "this line is not UTF-8 text, as values of variables are here");
  const std::size_t equals = line.find('=');
  const std::string_view name = line.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  if (!profile::is_env_name(name))
    return failed(where,
                  has_value && equals != 0
                      ? quote(std::string(name.substr(0, 60))) + " is no name of a variable"
                      : "no name of a variable stands here",
                  "a line is NAME=VALUE, or NAME for the caller's; a value is one line, as it is");
  std::optional<std::string>& slot = into[std::string(name)];
  slot.reset();
  if (has_value) slot.emplace(line.substr(equals + 1));
  return {};
}

}  // namespace

Result<profile::Override> env_file_value(const OptionSpec& option, std::string_view path,
                                         std::string_view) {
  const std::string name = printable(path, std::string_view::npos);
  const std::string text = SBX_TRY(read_file(std::string(path), name));
  std::string_view rest = text;
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (rest.starts_with(kMark)) rest.remove_prefix(kMark.size());
  Variables variables;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    SBX_CHECK(add_line(rest.substr(0, end), name + ":" + std::to_string(number), variables));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (variables.size() > kMost)
    return failed(name, "this file names more than " + std::to_string(kMost) + " variables");
  std::string pass;
  std::string set;
  for (const auto& [variable, value] : variables) {
    std::string& list = value ? set : pass;
    if (!list.empty()) list += ", ";
    list += yaml_quote(variable);
    if (value) list += ": " + yaml_quote(*value);
  }
  return profile::Override{std::string(option.key), "{pass: [" + pass + "], set: {" + set + "}}",
                           std::string(option.name)};
}

}  // namespace sbx::cli
