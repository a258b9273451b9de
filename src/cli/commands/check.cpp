// `sbx check`: every problem of every profile, as file:line:column: message on standard output, the
// form that editors and CI systems read.
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/prepare.hpp"
#include "cli/say.hpp"
#include "os/probe.hpp"

namespace sbx::cli {
namespace {

/// One problem, however odd the names in it are: no line is added, no terminal obeys it.
std::string shown(Error problem) {
  for (std::string* const text : {&problem.where, &problem.what, &problem.cause, &problem.hint})
    *text = printable(*text, std::string_view::npos);
  return problem.to_string() + "\n";
}

/// The problems of one profile, ready to print; adds to `errors`.
std::string check(const std::string& name, const std::string& cwd, std::size_t& errors) {
  std::string out;
  const auto profile = load_profile({.name = name, .env = os::caller_environment(), .cwd = cwd});
  if (!profile) {
    errors += profile.error().size();
    for (const Error& problem : profile.error()) out += shown(problem);
    return out;
  }
  return out;
}

}  // namespace

int check_command(const Arguments& arguments) {
  if (arguments.operands.empty()) return wrong_operand(arguments);
  const auto cwd = current_directory();
  if (!cwd) return fail_with(cwd.error());
  std::size_t errors = 0;
  std::string out;
  for (const std::string& name : arguments.operands) out += check(name, *cwd, errors);
  const int printed = print(out);
  return errors > 0 ? kFailed : printed;
}

}  // namespace sbx::cli
