// `sbx schema`: the JSON Schemas of what sbx reads and writes.
#include "batch/job.hpp"
#include "batch/journal.hpp"
#include "changes/changes_json.hpp"
#include "cli/artifacts_json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/doctor/examination.hpp"
#include "cli/say.hpp"
#include "supervise/live_json.hpp"
#include "supervise/result_json.hpp"

namespace sbx::cli {

int schema_command(const Arguments& arguments) {
  const std::string name = arguments.operands.empty() ? "" : arguments.operands[0];
  if (name == "profile") return print(profile::profile_schema() + "\n");
  if (name == "result") return print(supervise::result_schema());
  if (name == "live") return print(supervise::live_schema());
  if (name == "event") return print(supervise::event_schema());
  if (name == "doctor") return print(doctor::doctor_schema());
  if (name == "artifacts") return print(artifacts_schema());
  if (name == "changes") return print(changes::changes_schema());
  if (name == "job") return print(sbx::batch::job_schema());
  if (name == "batch") return print(sbx::batch::batch_schema(supervise::result_schema()));
  return wrong_operand(arguments);
}

}  // namespace sbx::cli
