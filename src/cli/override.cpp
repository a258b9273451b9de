#include "cli/override.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "cli/place_mode.hpp"

namespace sbx::cli {
namespace {

using profile::Override;

std::unexpected<Error> mistake(const OptionSpec& option, std::string what, std::string hint = {}) {
  if (hint.empty())
    hint = "usage: " + std::string(option.name) + " " + std::string(option.argument);
  return std::unexpected(
      Error{ErrorKind::usage, std::move(what), std::string(option.name), std::move(hint)});
}

/// Others take "a,b" as two entries. Only where none has a comma in it.
Result<void> check_single(const OptionSpec& option, std::string_view text) {
  if (!text.contains(',')) return {};
  std::string hint = "give the flag once for each:";
  for (const std::string_view entry : split(text, ','))
    hint += " " + std::string(option.name) + " " + quote(entry);
  return mistake(option, "'" + std::string(text) + "' is a list, and this takes one entry",
                 std::move(hint));
}

Override made(const OptionSpec& option, std::string yaml) {
  return {std::string(option.key), std::move(yaml), std::string(option.name)};
}

/// True for text that YAML's core schema reads as one plain scalar wherever it stands.
bool is_plain(std::string_view text) {
  const auto safe = [](char c) {
    return is_alnum(c) || c == '.' || c == '_' || c == '+' || c == '-';
  };
  const bool marker = text == "-" || text.starts_with("--") || text.starts_with("...");
  return !text.empty() && !marker && std::ranges::all_of(text, safe);
}

std::string yaml_plain(std::string_view text) {
  return is_plain(text) ? std::string(text) : yaml_quote(text);
}

/// "/a//b/../c" -> "/a/c", by the text alone; for places inside the sandbox, never for host paths.
std::string normalise(std::string_view path) {
  std::string out;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, slash - at);
    at = slash + 1;
    if (part == "..")
      out.resize(out.empty() ? 0 : out.rfind('/'));
    else if (!part.empty() && part != ".")
      out.append("/").append(part);
  }
  return out.empty() ? "/" : out;
}

std::string absolute(std::string_view path, std::string_view cwd) {
  if (path.starts_with('/')) return std::string(path);
  return std::string(cwd) + "/" + std::string(path);
}

bool climbs(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

/// A host path for the profile. A relative one stays relative, so that links below the caller's
/// folder cannot lead out of it (an earlier payload may have planted one); one with `..` names its
/// place outside on purpose.
std::string host_path(std::string_view path, std::string_view cwd) {
  return climbs(path) ? absolute(path, cwd) : std::string(path);
}

}  // namespace

std::string yaml_quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escape{};
      (void)std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(byte));
      out += escape.data();
    } else {
      out += c;
    }
  }
  return out += '"';
}

Result<Override> override_of(const OptionSpec& option, std::string_view text,
                             std::string_view cwd) {
  Override made = SBX_TRY(option.to_override(option, text, cwd));
  if (is_utf8(made.key) && is_utf8(made.yaml)) return made;
  constexpr const char* kHint =
      "a profile is UTF-8 text, and so is what flags put into it; the words of the command may be "
      "any bytes";
  const std::size_t bad = find_invalid_utf8(text);
  if (bad == std::string_view::npos)
    return mistake(option, "the path of the current directory is not UTF-8 text", kHint);
  return mistake(option,
                 "the value is not UTF-8 text: byte " + std::to_string(bad + 1) + " of it is " +
                     printable(text.substr(bad, 1)),
                 kHint);
}

Result<Override> plain_value(const OptionSpec& option, std::string_view text, std::string_view) {
  if (text.empty()) return mistake(option, "needs a value");
  return made(option, yaml_plain(text));
}

Result<Override> text_value(const OptionSpec& option, std::string_view text, std::string_view) {
  return made(option, yaml_quote(text));
}

Result<Override> list_entry(const OptionSpec& option, std::string_view text, std::string_view) {
  if (text.empty()) return mistake(option, "needs a value");
  return made(option, "[" + yaml_quote(text) + "]");
}

Result<Override> single_entry(const OptionSpec& option, std::string_view text,
                              std::string_view cwd) {
  SBX_CHECK(check_single(option, text));
  return list_entry(option, text, cwd);
}

Result<Override> map_entry(const OptionSpec& option, std::string_view text, std::string_view) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return mistake(option, "'" + std::string(text) + "' is not of the form NAME=VALUE");
  SBX_CHECK(check_single(option, text));
  return made(option, "{" + yaml_quote(text.substr(0, equals)) + ": " +
                          yaml_plain(text.substr(equals + 1)) + "}");
}

Result<Override> root_value(const OptionSpec& option, std::string_view text, std::string_view cwd) {
  if (text.empty()) return mistake(option, "needs a value");
  if (text == "host" || text == "empty") return made(option, std::string(text));
  constexpr std::string_view kImage = "oci:";
  if (!text.starts_with(kImage))
    return made(option, "{dir: " + yaml_quote(absolute(text, cwd)) + "}");
  text.remove_prefix(kImage.size());
  const std::size_t colon = text.rfind(':');
  const bool has_ref =
      colon != std::string_view::npos && text.find('/', colon) == std::string_view::npos;
  const std::string_view image = has_ref ? text.substr(0, colon) : text;
  const std::string_view ref = has_ref ? text.substr(colon + 1) : "";
  if (image.empty() || (has_ref && ref.empty()))
    return mistake(option, "'oci:" + std::string(text) + "' is not of the form oci:IMAGE[:REF]");
  std::string yaml = "{oci: " + yaml_quote(absolute(image, cwd));
  if (has_ref) yaml += ", ref: " + yaml_quote(ref);
  return made(option, yaml + "}");
}

Result<Override> workspace_value(const OptionSpec& option, std::string_view text,
                                 std::string_view cwd) {
  constexpr std::array<std::string_view, 4> kModes{"none", "ro", "rw", "overlay"};
  if (text.empty()) return mistake(option, "needs a value");
  const std::size_t colon = text.rfind(':');
  std::string_view folder = text.substr(0, colon);
  std::string_view mode = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (text == "none") std::swap(folder, mode);
  if ((colon != std::string_view::npos || text == "none") &&
      std::ranges::find(kModes, mode) == kModes.end())
    return mistake(option, "'" + std::string(mode) + "' is not a mode (none, ro, rw, overlay)",
                   std::ranges::find(kModes, folder) != kModes.end()
                       ? "the mode comes last: " + std::string(mode) + ':' + std::string(folder)
                       : "a folder with ':' in its name needs the mode after it: " +
                             std::string(text) + ":ro");
  std::string yaml = "{";
  if (!folder.empty()) yaml += "source: " + yaml_quote(host_path(folder, cwd));
  if (!mode.empty()) yaml.append(yaml.size() > 1 ? ", " : "").append("mode: ").append(mode);
  return made(option, yaml + "}");
}

Result<Override> bind_value(const OptionSpec& option, std::string_view text, std::string_view cwd) {
  text = SBX_TRY(without_mode(option.name, text));
  // DST is absolute, so the last ":/" parts the two, whatever SRC contains.
  const std::size_t parting = text.rfind(":/");
  const std::string_view source = text.substr(0, parting);
  if (source.empty()) return mistake(option, "needs a file or folder of the host");
  if (source == "~" || source.starts_with("~/"))
    return mistake(option, "`~` stands for nothing here",
                   "the shell replaces it at the start of a word only: " +
                       std::string(option.name) + " ~/..., without '='");
  if (parting == std::string_view::npos && text.find(':') != std::string_view::npos)
    return mistake(option, "'" + std::string(text) + "': what follows ':' must be an absolute path",
                   "a source with ':' in its name needs the place after it: SRC:/DST");
  const std::string target = normalise(
      parting == std::string_view::npos ? absolute(source, cwd) : text.substr(parting + 1));
  std::string yaml =
      "[{bind: " + yaml_quote(host_path(source, cwd)) + ", at: " + yaml_quote(target);
  if (option.name == "--rw") yaml += ", mode: rw";
  return made(option, yaml + "}]");
}

Result<Override> copy_value(const OptionSpec& option, std::string_view text, std::string_view cwd) {
  text = SBX_TRY(without_mode(option.name, text));
  const std::size_t parting = text.rfind(":/");
  if (parting == 0 || parting == std::string_view::npos)
    return mistake(option, "'" + std::string(text) + "' is not of the form SRC:/DST");
  return made(option, "[{copy: " + yaml_quote(host_path(text.substr(0, parting), cwd)) +
                          ", at: " + yaml_quote(normalise(text.substr(parting + 1))) + "}]");
}

Result<Override> tmpfs_value(const OptionSpec& option, std::string_view text, std::string_view) {
  const std::size_t colon = text.rfind(':');
  const std::string_view target = text.substr(0, colon);
  if (!target.starts_with('/')) return mistake(option, "DST must be an absolute path");
  std::string yaml = "[{tmpfs: " + yaml_quote(target);
  if (colon != std::string_view::npos) {
    if (colon + 1 == text.size()) return mistake(option, "nothing stands after ':'");
    yaml += ", size: " + yaml_plain(text.substr(colon + 1));
  }
  return made(option, yaml + "}]");
}

Result<Override> file_value(const OptionSpec& option, std::string_view text, std::string_view) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !text.starts_with('/'))
    return mistake(option, "'" + std::string(text) + "' is not of the form /DST=CONTENT");
  return made(option, "[{file: " + yaml_quote(text.substr(0, equals)) +
                          ", content: " + yaml_quote(text.substr(equals + 1)) + "}]");
}

Result<Override> env_value(const OptionSpec& option, std::string_view text, std::string_view) {
  const std::size_t equals = text.find('=');
  if (text.empty() || equals == 0) return mistake(option, "the variable has no name");
  if (equals == std::string_view::npos) {
    SBX_CHECK(check_single(option, text));
    return made(option, "{pass: [" + yaml_quote(text) + "]}");
  }
  return made(option, "{set: {" + yaml_quote(text.substr(0, equals)) + ": " +
                          yaml_quote(text.substr(equals + 1)) + "}}");
}

Result<Override> secret_value(const OptionSpec& option, std::string_view text,
                              std::string_view cwd) {
  constexpr std::string_view kFile = "file:";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || !text.substr(equals).contains(':'))
    return mistake(option,
                   equals == std::string_view::npos || equals == 0
                       ? "'" + std::string(text.substr(0, equals)) + "' is not followed by =FROM"
                       : "what follows '" + std::string(text.substr(0, equals + 1)) +
                             "' is no source, as it has no colon",
                   "FROM is env:VARIABLE, file:PATH, fd:N or command:TEXT, and never the value");
  std::string from(text.substr(equals + 1));
  if (from.starts_with(kFile))
    from = std::string(kFile) + host_path(from.substr(kFile.size()), cwd);
  return made(option,
              "{" + yaml_quote(text.substr(0, equals)) + ": {from: " + yaml_quote(from) + "}}");
}

Result<Override> user_value(const OptionSpec& option, std::string_view text, std::string_view) {
  const std::size_t colon = text.find(':');
  const std::string_view uid = text.substr(0, colon);
  const std::string_view gid = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto is_id = [](std::string_view id) {
    return id == "caller" || (!id.empty() && std::ranges::all_of(id, is_digit));
  };
  if (!is_id(uid) || (colon != std::string_view::npos && !is_id(gid)))
    return mistake(option, "'" + std::string(text) + "' is not of the form UID[:GID]",
                   "UID and GID are numbers, or the word caller");
  std::string yaml = "{uid: " + yaml_plain(uid);
  if (!gid.empty()) yaml += ", gid: " + yaml_plain(gid);
  return made(option, yaml + "}");
}

Result<Override> tty_value(const OptionSpec& option, std::string_view, std::string_view) {
  return made(option, option.name == "--tty" ? "always" : "never");
}

Result<Override> set_value(const OptionSpec& option, std::string_view text, std::string_view) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return mistake(option, "'" + std::string(text) + "' is not of the form KEY.PATH=VALUE",
                   "for example: --set limits.memory=1G, --set vars.mem=2G");
  const std::string key(text.substr(0, equals));
  const std::string_view value = text.substr(equals + 1);
  return Override{key, value.empty() ? "\"\"" : std::string(value), "--set " + key};
}

}  // namespace sbx::cli
