#include "cli/stray_words.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/quantity.hpp"
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

bool names_file(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".jsonl");
}

/// How the value of a flag is written that elsewhere is two words, or may be.
struct Form {
  std::string_view argument;  ///< as the flag has it
  std::string_view whole;
  std::string_view link;
  bool (*is_rest)(std::string_view value, std::string_view rest);
};

bool is_place(std::string_view value, std::string_view rest) {
  return rest.starts_with('/') && !value.contains(":/");
}
bool is_mode(std::string_view /*value*/, std::string_view rest) {
  return rest == "ro" || rest == "rw" || rest == "overlay" || rest == "none";
}
/// A port, a size, a group ...
bool is_figure(std::string_view value, std::string_view rest) {
  return is_digit(rest.front()) && !value.contains(':') && !value.contains('=');
}
bool is_unit(std::string_view value, std::string_view rest) {
  const std::string whole = std::string(value).append(rest);
  return is_letter(rest.front()) && (parse_bytes(whole) || parse_duration(whole));
}

constexpr std::array<Form, 9> kForms{{{"SRC[:DST]", "SRC:DST", ":", is_place},
                                      {"DIR[:MODE]", "DIR:MODE", ":", is_mode},
                                      {"DST[:SIZE]", "DST:SIZE", ":", is_figure},
                                      {"HOST:PORT", "HOST:PORT", ":", is_figure},
                                      {"[ADDR:]PORT:PORT", "PORT:PORT", ":", is_figure},
                                      {"UID[:GID]", "UID:GID", ":", is_figure},
                                      {"K[=V]", "K=V", "=", is_figure},
                                      {"SIZE", "SIZE", "", is_unit},
                                      {"DURATION", "DURATION", "", is_unit}}};

const Form* form_of(std::string_view argument) {
  const auto* const found = std::ranges::find(kForms, argument, &Form::argument);
  return found == kForms.end() ? nullptr : found;
}

}  // namespace

bool takes_command(Verb verb) {
  return verb == Verb::run || verb == Verb::explain || verb == Verb::learn;
}

std::string find_parted(const VerbSpec& verb, const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& rest = words[i];
    if (rest.empty() || rest.starts_with('-') || names_file(rest)) continue;
    const std::string& before = words[i - 1];
    const bool joined = before.starts_with("--") && before.contains('=');  // --ro=/usr
    if (!joined && (i == 1 || before.starts_with('-'))) continue;
    const OptionSpec* flag = find_option(verb, joined ? flag_name(before) : words[i - 2]);
    if (flag == nullptr) continue;
    const Form* form = form_of(flag->argument);
    const std::string value = joined ? before.substr(flag->name.size() + 1) : before;
    if (form == nullptr || value.empty() || !form->is_rest(value, rest)) continue;
    return std::string(form->whole) + " is one word: " + std::string(flag->name) + " " +
           quote(value) + std::string(form->link) + quote(rest);
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
