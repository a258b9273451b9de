// `sbx kill`, `sbx pause` and `sbx resume`: what one may do to a live run. Silent when done.
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/live_runs.hpp"
#include "cli/say.hpp"

namespace sbx::cli {
namespace {

using supervise::Action;
using supervise::Request;
using supervise::RunFile;

/// A large tree takes its time to die; a pause gives up after half a second by itself.
constexpr std::chrono::milliseconds kPatience{10'000};

/// What the operands name; every one of them is a run, or nothing is done to any.
Result<std::vector<RunFile>> find_all(const LiveRuns& live, const std::vector<std::string>& words) {
  std::vector<RunFile> runs;
  runs.reserve(words.size());
  for (const std::string& word : words) runs.push_back(SBX_TRY(live.find(word)));
  return runs;
}

/// Says what went wrong with one run; true: nothing did.
bool report(const Reply& reply, bool to_end) {
  switch (reply.kind) {
    case Reply::Kind::accepted:
      return true;
    case Reply::Kind::ended:
      // Whoever wanted that has it.
      if (!to_end) say(reply.run + ": the run has just ended");
      return to_end;
    case Reply::Kind::refused:
      say(reply.run + ": " + reply.text);
      return false;
    case Reply::Kind::silent:
      say(reply.run + ": no answer; its supervisor is stopped, or very busy");
      return false;
  }
  return false;
}

int steer(const Arguments& arguments, const Request& request) {
  const auto live = LiveRuns::open();
  if (!live) return fail_with(live.error());
  auto runs = find_all(*live, arguments.operands);
  if (!runs) return fail_with(runs.error());
  if (arguments.all) *runs = live->all();
  bool fine = true;
  const bool to_end = request.action == Action::kill && request.signal == SIGKILL;
  for (const Reply& reply : live->ask(*runs, request, kPatience))
    fine = report(reply, to_end || arguments.all) && fine;
  return fine ? kSuccess : kFailed;
}

}  // namespace

int kill_command(const Arguments& arguments) {
  if (arguments.operands.empty() != arguments.all)
    return fail_with(
        {ErrorKind::usage,
         arguments.all ? "--all and the name of a run do not go together"
                       : "`sbx kill` needs the name of a run, or --all",
         {},
         "usage: sbx " + std::string(arguments.verb->synopsis) + "; live runs: sbx ps"});
  Request request{Action::kill};
  if (!arguments.signal.empty()) {
    const auto signal = supervise::signal_number(arguments.signal);
    if (!signal)
      return fail_with({ErrorKind::usage, "no signal to send: " + quote(arguments.signal),
                        "--signal", "signals: " + supervise::signal_names()});
    request.signal = *signal;
  }
  return steer(arguments, request);
}

int pause_command(const Arguments& arguments) {
  if (arguments.operands.empty()) return wrong_operand(arguments);
  return steer(arguments, {Action::pause});
}

int resume_command(const Arguments& arguments) {
  if (arguments.operands.empty()) return wrong_operand(arguments);
  return steer(arguments, {Action::resume});
}

}  // namespace sbx::cli
