// `sbx profiles`: which profiles there are, and the text of one.
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/line.hpp"
#include "cli/locate.hpp"
#include "cli/prepare.hpp"
#include "cli/say.hpp"
#include "os/probe.hpp"

namespace sbx::cli {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + "  ";
}

int list(const Lookup& lookup, const std::map<std::string, std::string>& env) {
  const std::vector<Listed> listed = list_profiles(lookup);
  std::size_t names = 0;
  std::size_t places = 0;
  for (const Listed& one : listed) {
    names = std::max(names, one.name.size());
    places = std::max(places, one.place.size());
  }
  std::string out;
  for (const Listed& one : listed) {
    const auto profile = load_profile({.name = one.name, .env = env, .cwd = lookup.cwd});
    const std::string about =
        profile ? printable(profile->description) : "has problems: sbx check " + one.name;
    out += padded(one.name, names) + padded(printable(one.place), places) + about + "\n";
  }
  return print(out);
}

int show(const Lookup& lookup, const std::string& name) {
  const auto source = locate(lookup, name, nullptr);
  if (source) return print(source->text);
  return fail_with(source.error());
}

}  // namespace

int profiles_command(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands;
  const bool ls = !words.empty() && words[0] == "ls";
  if (!ls && (words.empty() || words[0] != "show")) return wrong_operand(arguments);
  if (words.size() != (ls ? 1 : 2)) {
    const std::string what =
        ls ? "`sbx profiles ls` takes no " + quote(words[1]) : "`sbx profiles show` needs a NAME";
    return fail_with(
        usage_error(what, ls ? usage_hint(*arguments.verb) : "names: sbx profiles ls"));
  }
  const auto cwd = current_directory();
  if (!cwd) return fail_with(cwd.error());
  const std::map<std::string, std::string> env = os::caller_environment();
  const Lookup lookup = make_lookup(*cwd, env);
  return ls ? list(lookup, env) : show(lookup, words[1]);
}

}  // namespace sbx::cli
