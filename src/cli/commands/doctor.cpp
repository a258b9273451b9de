// `sbx doctor`: what this host can enforce, tried for real, and what would help where it cannot.
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/doctor/examination.hpp"
#include "cli/exit_code.hpp"
#include "cli/say.hpp"

namespace sbx::cli {
namespace {

int limits_only(bool json) {
  const doctor::Limits limits = doctor::try_limits();
  const nlohmann::ordered_json all{{"schema", "sbx.doctor/1"}, {"cgroup", doctor::to_json(limits)}};
  const int printed = print(json ? json_line(all) + "\n" : doctor::to_text(limits));
  return doctor::default_limits_hold(limits) ? printed : kFailed;
}

}  // namespace

int doctor_command(const Arguments& arguments) {
  const bool json = arguments.reporting.json;
  if (arguments.cgroup_only) return limits_only(json);
  const doctor::Examination found = doctor::examine();
  const int printed = print(json ? doctor::to_json(found) : doctor::to_text(found, wants_colour()));
  return found.start.starts && found.start.degraded.empty() ? printed : kFailed;
}

}  // namespace sbx::cli
