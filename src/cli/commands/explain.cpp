// `sbx explain`: the plan that run would execute, printed.
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/prepare.hpp"
#include "cli/say.hpp"
#include "plan/describe.hpp"

namespace sbx::cli {

int explain_command(const Arguments& arguments) {
  // Not a run, so no random name: the same question gets the same answer.
  const auto plan = prepare(arguments, "explain");
  if (!plan) {
    say(plan.error());
    return kFailed;
  }
  return print(arguments.reporting.json ? plan::describe_json(*plan) + "\n"
                                        : plan::describe_text(*plan));
}

}  // namespace sbx::cli
