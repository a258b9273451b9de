#include "cli/front.hpp"

#include <signal.h>
#include <unistd.h>

#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/learn.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/help.hpp"
#include "cli/say.hpp"

namespace sbx::cli {
namespace {

constexpr std::string_view kVersion = SBX_VERSION;

int dispatch(const Arguments& arguments, supervise::Nanos started, const EditPlan& edit_plan) {
  switch (arguments.verb->verb) {
    case Verb::run:
      return run_command(arguments, started, edit_plan);
    case Verb::batch:
      return batch_command(arguments);
    case Verb::explain:
      return explain_command(arguments, started);
    case Verb::learn:
      return learn_command(arguments, started);
    case Verb::check:
      return check_command(arguments);
    case Verb::profiles:
      return profiles_command(arguments);
    case Verb::schema:
      return schema_command(arguments);
    case Verb::completion:
      return completion_command(arguments);
    case Verb::doctor:
      return doctor_command(arguments);
    case Verb::ps:
      return ps_command(arguments);
    case Verb::stats:
      return stats_command(arguments);
    case Verb::pause:
      return pause_command(arguments);
    case Verb::resume:
      return resume_command(arguments);
    case Verb::kill:
      return kill_command(arguments);
    case Verb::diff:
      return diff_command(arguments);
    case Verb::apply:
      return apply_command(arguments);
    case Verb::discard:
      return discard_command(arguments);
    case Verb::artifacts:
      return artifacts_command(arguments);
    case Verb::mcp:
      return mcp_command(arguments);
  }
  return kFailed;
}

int run_verb(const VerbSpec& verb, const std::vector<std::string>& words, supervise::Nanos started,
             const EditPlan& edit_plan) {
  auto cwd = current_directory();
  auto arguments = parse(verb, words, cwd.value_or("/"));
  if (arguments && arguments->help) return print(help(verb));
  if (arguments) return dispatch(*arguments, started, edit_plan);
  const Reporting reporting = find_reporting(words);
  if (verb.verb == Verb::run) return refuse_run(reporting, {}, {}, arguments.error(), started);
  if (verb.verb == Verb::explain && reporting.json)
    return refuse_run({.json = true}, {}, {}, arguments.error(), started);
  say(arguments.error());
  return kFailed;
}

}  // namespace

int wrong_operand(const Arguments& arguments) {
  const VerbSpec& verb = *arguments.verb;
  const std::vector<std::string>& words = arguments.operands;
  std::string what = "`sbx " + std::string(verb.name) +
                     "` needs more: " + std::string(verb.words == "KEPT" ? "RUN" : verb.words);
  const std::vector<std::string_view> known = split(verb.words, '|');
  if (!words.empty() && verb.words != "PROFILE" && verb.words != "RUN" && verb.words != "KEPT") {
    bool is_known = false;
    for (const std::string_view word : known) is_known = is_known || word == words[0];
    if (!is_known) {
      what = "`sbx " + std::string(verb.name) + "` does not know " + quote(words[0]);
      const std::string_view near = nearest_name(words[0], known);
      if (!near.empty()) what += "; did you mean " + std::string(near) + "?";
    }
  }
  std::string hint = "usage: sbx " + std::string(verb.synopsis);
  if (known.size() > 1 && !verb.synopsis.contains(known.front())) {
    hint += ": " + std::string(known.front());
    for (const std::string_view word : known | std::views::drop(1))
      hint += ", " + std::string(word);
  }
  say(Error{.kind = ErrorKind::usage, .what = std::move(what), .hint = std::move(hint)}
          .to_string());
  return kFailed;
}

int front(int argc, char** argv, const EditPlan& edit_plan) {
  const supervise::Nanos started = supervise::now_ns();
  // What is more than the caller's limit on file sizes allows is to be told, and ends nobody
  // (EFBIG, setrlimit(2)). Cannot fail for a known signal.
  (void)::signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (words.empty()) {
    write_error(overview());
    return kFailed;
  }
  // git's way as well: `sbx help run` is `sbx run --help`.
  const bool asks = words[0] == "help" && words.size() > 1;
  const std::string& first = words[asks ? 1 : 0];
  if (first == "--help" || first == "-h" || first == "help") return print(overview());
  if (first == "--version") return print("sbx " + std::string(kVersion) + "\n");
  if (first == "--list-options") return print(list_options());
  const VerbSpec* verb = find_verb(first);
  if (verb == nullptr) return fail_with(unknown_verb(first));
  if (asks) return print(help(*verb));
  return run_verb(*verb, {words.begin() + 1, words.end()}, started, edit_plan);
}

}  // namespace sbx::cli
