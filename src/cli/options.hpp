// The one table of verbs and flags: CLI11's options, the help texts, the completions and the checks
// of the manual are all derived from it. Pure data.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "profile/load.hpp"

namespace sbx::cli {

enum class Verb {
  run,
  batch,
  explain,
  learn,
  check,
  profiles,
  doctor,
  ps,
  stats,
  pause,
  resume,
  kill,
  diff,
  apply,
  discard,
  artifacts,
  mcp,
  schema,
  completion
};

struct VerbSpec {
  Verb verb;
  std::string_view name;
  std::string_view synopsis;  ///< what follows "sbx ", for usage lines
  std::string_view summary;   ///< half a line
  std::string_view words;  ///< what its first operand may be, "a|b"; "PROFILE", "RUN" (a live one),
                           ///< "KEPT" (one whose changes are kept): one of those
};

/// The headings of `sbx run --help`, in this order.
enum class Group {
  files,
  identity,
  network,
  limits,
  hardening,
  streams,
  output,
  jobs,
  live,
  kept,
  general
};

struct OptionSpec;

/// What a flag writes into the profile; `cwd` is the caller's directory, absolute.
using ToOverride = Result<profile::Override> (*)(const OptionSpec& option,
                                                 std::string_view argument, std::string_view cwd);

struct OptionSpec {
  std::string_view name;      ///< "--memory"
  std::string_view argument;  ///< "SIZE"; empty: the flag takes none
  std::string_view key;       ///< the profile key it writes, "limits.memory"; empty: none
  std::string_view words;     ///< the words its argument may be, "none|host", or FILE, DIR, PROFILE
  ToOverride to_override;     ///< null: the flag is about the run, not the profile
  Group group;
  bool repeats;            ///< giving it again adds; otherwise it is a mistake
  std::string_view verbs;  ///< which verbs know it: "run explain"
  std::string_view help;
};

std::span<const VerbSpec> verbs();
std::span<const OptionSpec> options();
std::string_view title(Group group);

/// nullptr when there is none of that name.
const VerbSpec* find_verb(std::string_view name);
/// nullptr when `verb` does not know a flag of that name ("--memory", "-h").
const OptionSpec* find_option(const VerbSpec& verb, std::string_view name);
bool knows(const VerbSpec& verb, const OptionSpec& option);

}  // namespace sbx::cli
