// `sbx explain`: the plan that run would execute, printed, or questions about it answered.
#include "cli/commands/commands.hpp"
#include "cli/commands/run.hpp"
#include "cli/exit_code.hpp"
#include "cli/prepare.hpp"
#include "cli/say.hpp"
#include "egress/own_addresses.hpp"
#include "os/host_path.hpp"
#include "os/idmap_refusals.hpp"
#include "plan/describe.hpp"
#include "plan/why.hpp"

namespace sbx::cli {
namespace {

/// Every answer, or every problem: nothing is printed when one question is wrong.
std::expected<std::string, profile::Problems> answers(const Arguments& arguments,
                                                      const Planned& planned) {
  std::string text;
  profile::Problems problems;
  const plan::Host host{.lacks = os::is_missing,
                        .real_path = os::real_path,
                        .is_device = os::is_device,
                        .refuses_idmap = os::refuses_idmap,
                        .is_own =
                            [](const network::Address& address) {
                              return egress::is_own_address(address).value_or(false);
                            },
                        .env = &planned.env};
  for (const std::string& question : arguments.why) {
    const auto answer = plan::why(planned.profile, planned.plan, question, host);
    if (!answer) {
      problems.push_back(answer.error());
      continue;
    }
    text +=
        arguments.reporting.json ? plan::answer_json(*answer) + "\n" : plan::answer_text(*answer);
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return text;
}

/// Who reads JSON gets what `run` would print.
int refuse(const Arguments& arguments, const profile::Problems& problems,
           supervise::Nanos started) {
  if (!arguments.reporting.json) {
    say(problems);
    return kFailed;
  }
  const std::string name = arguments.operands.empty() ? "default" : arguments.operands[0];
  return refuse_run({.json = true}, name, {}, problems, started);
}

}  // namespace

int explain_command(const Arguments& arguments, supervise::Nanos started) {
  // Not a run, so no random name: the same question gets the same answer.
  const auto planned = prepare(arguments, "explain", nullptr);
  if (!planned) return refuse(arguments, planned.error(), started);
  if (!arguments.why.empty()) {
    const auto text = answers(arguments, *planned);
    // What the plan does not know, no answer does.
    for (const std::string& warning : planned->plan.warnings) say("warning: " + warning);
    return text ? print(*text) : refuse(arguments, text.error(), started);
  }
  return print(arguments.reporting.json ? plan::describe_json(planned->plan) + "\n"
                                        : plan::describe_text(planned->plan));
}

}  // namespace sbx::cli
