#include "cli/stray_words.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/line.hpp"
#include "profile/load.hpp"

namespace sbx::cli {
namespace {

/// Is `word` rather the profile than the command, with `next` behind it? `python` and `node` can be
/// both: with a script or a flag they are the program.
bool names_profile(const std::string& word, std::string_view next) {
  constexpr std::array<std::string_view, 4> kScripts{".py", ".js", ".mjs", ".cjs"};
  if (word.ends_with(".yaml") || word.ends_with(".yml")) return true;
  return profile::builtin_profiles().contains(word) && !next.starts_with('-') &&
         std::ranges::none_of(kScripts, [&](std::string_view end) { return next.ends_with(end); });
}

}  // namespace

bool takes_command(Verb verb) {
  return verb == Verb::run || verb == Verb::explain || verb == Verb::learn;
}

std::string find_parted(const VerbSpec& verb, const std::vector<std::string>& words) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& place = words[i];
    const std::string& source = words[i - 1];
    if (!place.starts_with('/') || source.starts_with('-') || source.contains(":/")) continue;
    if (place.ends_with(".yaml") || place.ends_with(".yml") || place.ends_with(".jsonl")) continue;
    const OptionSpec* flag = find_option(verb, words[i - 2]);
    if (flag != nullptr && flag->argument == "SRC[:DST]")
      return "SRC:DST is one word: " + std::string(flag->name) + " " + quote(source) + ":" +
             quote(place);
  }
  return "";
}

Error stray_words(const VerbSpec& verb, const Arguments& arguments,
                  std::span<const std::string> rest) {
  std::string hint = usage_hint(verb);
  if (!arguments.parted.empty())
    return usage_error("unexpected argument " + quote(rest.front()), arguments.parted);
  const std::vector<std::string>& before = arguments.operands;
  const bool profile_first = !before.empty() && names_profile(before.front(), rest.front());
  if (profile_first && names_profile(rest.front(), rest.size() > 1 ? rest[1] : "")) {
    hint = "a run has one profile; a file can build on others: extends: [" + before.front() + ", " +
           rest.front() + "]";
  } else if (takes_command(verb.verb)) {
    hint = "the command and its arguments come after `--`: sbx " + std::string(verb.name);
    if (!profile_first) hint += " --";
    for (const std::string& operand : before) hint += " " + quote(operand);
    if (profile_first) hint += " --";
    for (const std::string& word : rest) hint += " " + quote(word);
  }
  return usage_error("unexpected argument " + quote(rest.front()), std::move(hint));
}

}  // namespace sbx::cli
