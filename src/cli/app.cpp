#include "cli/app.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "cli/line.hpp"
#include "cli/store_flag.hpp"
#include "cli/stray_words.hpp"
#include "cli/unknown_flag.hpp"
#include "profile/load.hpp"

namespace sbx::cli {
namespace {

using profile::Problems;

/// Without a value behind it: "--memory", "-o"; not "--memory=1G", "-oFILE".
bool is_bare(const std::string& word) {
  return word.starts_with("--") ? !word.contains('=') : word.size() == 2;
}

/// What CLI11 would take silently or word badly: `--memory=` reads the next word as the value, and
/// so does `--memory --swap 0`. An empty value is none, as an unset variable of a script leaves it.
void check_values(const VerbSpec& verb, const std::vector<std::string>& words, Problems& problems) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const OptionSpec* option = find_option(verb, flag_name(words[i]));
    if (option == nullptr) continue;
    const bool bare = is_bare(words[i]);
    if (option->argument.empty()) {
      if (!bare)
        problems.push_back(
            usage_error("flag " + std::string(option->name) + " takes no value", usage_hint(verb)));
      continue;
    }
    const bool missing =
        bare && (i + 1 == words.size() || words[i + 1].empty() || words[i + 1].starts_with("--"));
    if (missing || words[i] == std::string(option->name) + "=") {
      const std::string form = std::string(option->name) + " " + std::string(option->argument);
      problems.push_back(
          usage_error("flag " + std::string(option->name) + " needs a value", "usage: " + form));
    }
    if (bare) ++i;
  }
}

Result<Line> read_line(const VerbSpec& verb, const std::vector<std::string>& words) {
  if (std::optional<Line> plain = read_plain_line(verb, words)) return *std::move(plain);
  return read_any_line(verb, words);
}

/// `has_dashes`: the command stands elsewhere.
void take(const Result<Line>& line, std::string_view cwd, bool has_dashes, Arguments& arguments,
          Problems& problems) {
  if (!line) {
    problems.push_back(line.error());
    return;
  }
  for (const Flag& flag : line->flags)
    store_flag(*flag.option, flag.value, cwd, arguments, problems);
  for (std::size_t i = 0; i < line->words.size(); ++i) {
    const std::string& word = line->words[i];
    if (!word.starts_with('-') || word == "-") {
      arguments.operands.push_back(word);
      continue;
    }
    // `run ls -la /`: the rest is the command's as well, unless what is no flag may be a value: of
    // an unknown flag before it, as in a line of another sandbox's.
    const VerbSpec& verb = *arguments.verb;
    const bool stray = problems.empty() && !has_dashes && takes_command(verb.verb) &&
                       !arguments.operands.empty() &&
                       (!word.starts_with("--") || flag_meant(verb, word).empty());
    problems.push_back(stray ? stray_words(verb, arguments, std::span(line->words).subspan(i))
                             : unknown_flag(verb, word));
    if (stray) return;
  }
}

std::size_t most_operands(Verb verb) {
  switch (verb) {
    case Verb::run:
    case Verb::batch:
    case Verb::explain:
    case Verb::learn:
    case Verb::schema:
    case Verb::completion:
    case Verb::stats:
    case Verb::mcp:
      return 1;
    case Verb::doctor:
    case Verb::ps:
      return 0;
    case Verb::profiles:
      return 2;
    case Verb::check:
    case Verb::pause:
    case Verb::resume:
    case Verb::kill:
    case Verb::diff:
    case Verb::apply:
    case Verb::discard:
    case Verb::artifacts:
      return static_cast<std::size_t>(-1);
  }
  return 0;
}

bool gives(const Arguments& arguments, std::string_view flag) {
  return std::ranges::find(arguments.overrides, flag, &profile::Override::flag) !=
         arguments.overrides.end();
}

}  // namespace

std::expected<Arguments, Problems> parse(const VerbSpec& verb, std::vector<std::string> words,
                                         std::string_view cwd) {
  Arguments arguments;
  arguments.verb = &verb;
  Problems problems;
  const auto dashes = std::ranges::find(words, "--");
  const bool has_dashes = takes_command(verb.verb) && dashes != words.end();
  std::vector<std::string> behind;  // are no flags, whatever they begin with
  if (dashes != words.end()) {
    behind.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  arguments.parted = find_parted(verb, words);
  check_values(verb, words, problems);
  if (problems.empty()) take(read_line(verb, words), cwd, has_dashes, arguments, problems);
  std::vector<std::string>& place = has_dashes ? arguments.command : arguments.operands;
  place.insert(place.end(), behind.begin(), behind.end());
  if (arguments.help) return arguments;
  if (has_dashes && arguments.command.empty())
    problems.push_back(usage_error("no command stands after `--`", usage_hint(verb)));
  if (arguments.operands.size() > most_operands(verb.verb)) {
    const auto first = arguments.operands.begin() + static_cast<long>(most_operands(verb.verb));
    const std::vector<std::string> rest(first, arguments.operands.end());
    arguments.operands.erase(first, arguments.operands.end());
    // Behind a flag that we do not know they may be its value.
    if (problems.empty()) problems.push_back(stray_words(verb, arguments, rest));
  }
  if (!arguments.log_level.empty() && arguments.log.empty() && problems.empty())
    problems.push_back(usage_error("--log-level needs --log FILE", usage_hint(verb)));
  if (arguments.timing && arguments.dry_run && problems.empty())
    problems.push_back(
        usage_error("--timing needs a run, which --dry-run leaves out", usage_hint(verb)));
  if (!arguments.interval.empty() && !arguments.watch && problems.empty())
    problems.push_back(usage_error("--interval needs --watch", usage_hint(verb)));
  for (const std::string list : {"--allow", "--publish"})
    if (problems.empty() && gives(arguments, "--net") && gives(arguments, list))
      problems.push_back(
          usage_error("--net and " + list + " exclude each other",
                      list + " alone is a network of the sandbox's own, with a list"));
  if (problems.empty() && arguments.reporting.ci && arguments.reporting.json)
    problems.push_back(usage_error("--ci and --json exclude each other",
                                   "--result FILE writes the same object beside the log"));
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return arguments;
}

Reporting find_reporting(const std::vector<std::string>& words) {
  Reporting found;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view name = flag_name(words[i]);
    if (name == "--json") found.json = true;
    if (name == "--ci") found.ci = true;
    if (name != "--result" && name != "--events" && name != "--junit") continue;
    std::string value;
    if (name.size() < words[i].size())
      value = words[i].substr(name.size() + 1);
    else if (i + 1 < words.size() && !words[i + 1].starts_with("--"))
      value = words[++i];
    if (value == "-") continue;
    (name == "--result" ? found.result : name == "--events" ? found.events : found.junit) = value;
  }
  return found;
}

Error unknown_verb(std::string_view word) {
  std::vector<std::string_view> names;
  for (const VerbSpec& verb : verbs()) names.push_back(verb.name);
  std::string_view near = nearest_name(word, names);
  if (word == "--")
    return usage_error("no verb stands before `--`",
                       "usage: sbx run [PROFILE] [FLAGS] -- CMD [ARG...]");
  if (profile::builtin_profiles().contains(std::string(word)))
    return usage_error(quote(word) + " is a profile and no verb",
                       "usage: sbx run " + std::string(word) + " [FLAGS] -- CMD [ARG...]");
  constexpr std::array<std::array<std::string_view, 2>, 12> kOfOthers{{{"exec", "run"},
                                                                       {"start", "run"},
                                                                       {"create", "run"},
                                                                       {"stop", "kill"},
                                                                       {"cp", "artifacts"},
                                                                       {"rm", "kill"},
                                                                       {"ls", "ps"},
                                                                       {"list", "ps"},
                                                                       {"top", "stats"},
                                                                       {"inspect", "explain"},
                                                                       {"lint", "check"},
                                                                       {"validate", "check"}}};
  for (const auto& [theirs, ours] : kOfOthers)
    if (word == theirs) near = ours;
  if (word == "version" || word == "-V" || word == "-v") near = "--version";
  const bool flag = word.starts_with('-');
  std::string what = (flag ? "unknown flag " : "unknown verb ") + quote(word);
  if (!near.empty()) what += "; did you mean `sbx " + std::string(near) + "`?";
  const char* const run = flag || !near.empty() ? "" : "sbx run [PROFILE] -- CMD runs a command; ";
  return usage_error(std::move(what), run + ("verbs: " + join(names, ", ")) + "; see sbx --help");
}

}  // namespace sbx::cli
