#include "cli/unknown_flag.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/line.hpp"

namespace sbx::cli {
namespace {

/// What docker, bubblewrap and others call what has another name here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kFlagsOfOthers{{
    {"-m", "--memory"},
    {"--mem", "--memory"},
    {"--time", "--timeout"},
    {"--pids-limit", "--pids"},
    {"--network", "--net"},
    {"-e", "--env"},
    {"-v", "--ro"},
    {"--volume", "--ro"},
    {"--bind", "--rw"},
    {"--ro-bind", "--ro"},
    {"--mount", "--ro"},
    {"-u", "--user"},
    {"--uid", "--user"},
    {"-w", "--workdir"},
    {"--cwd", "--workdir"},
    {"--chdir", "--workdir"},
    {"-it", "--tty"},
}};

std::vector<std::string_view> known_flags(const VerbSpec& verb) {
  std::vector<std::string_view> known;
  for (const OptionSpec& option : options())
    if (knows(verb, option)) known.push_back(option.name);
  return known;
}

/// "`sbx explain`": those that know a flag of that name.
std::vector<std::string> verbs_with(std::string_view flag) {
  std::vector<std::string> names;
  for (const VerbSpec& verb : verbs())
    for (const OptionSpec& option : options())
      if (option.name == flag && knows(verb, option))
        names.push_back("`sbx " + std::string(verb.name) + "`");
  return names;
}

}  // namespace

std::string_view flag_meant(const VerbSpec& verb, std::string_view word) {
  const std::string_view name = flag_name(word);
  const std::vector<std::string_view> known = known_flags(verb);
  for (const auto& [theirs, ours] : kFlagsOfOthers)
    if (theirs == name && std::ranges::find(known, ours) != known.end()) return ours;
  return nearest_name(name, known);
}

Error unknown_flag(const VerbSpec& verb, std::string_view word) {
  const std::string_view name = flag_name(word);
  const std::vector<std::string> others = verbs_with(name);
  std::string what = others.empty() ? "unknown flag " + quote(name)
                                    : "`sbx " + std::string(verb.name) + "` has no flag " +
                                          quote(name) + ", which is one of " + join_some(others, 3);
  const std::string_view near = others.empty() ? flag_meant(verb, word) : std::string_view{};
  if (!near.empty()) what += "; did you mean " + std::string(near) + "?";
  return usage_error(std::move(what), "all flags: sbx " + std::string(verb.name) + " --help");
}

}  // namespace sbx::cli
