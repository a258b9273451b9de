// `sbx completion`: the shells' completion files, the same that are installed.
#include "cli/commands/commands.hpp"
#include "cli/embedded.hpp"
#include "cli/say.hpp"

namespace sbx::cli {

int completion_command(const Arguments& arguments) {
  const std::string shell = arguments.operands.empty() ? "" : arguments.operands[0];
  if (shell == "bash") return print(embedded("sbx.bash"));
  if (shell == "zsh") return print(embedded("_sbx"));
  if (shell == "fish") return print(embedded("sbx.fish"));
  return wrong_operand(arguments);
}

}  // namespace sbx::cli
