// `sbx artifacts`: which part of it is meant, and the list.
#include "cli/commands/artifacts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "artifacts/store.hpp"
#include "base/json_line.hpp"
#include "base/text.hpp"
#include "cli/artifacts_json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/line.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"
#include "os/pty.hpp"

namespace sbx::cli {
namespace {

using artifacts::Kept;

struct Part {
  std::string_view name;
  int (*command)(const Arguments&);
  std::size_t most_words;  ///< after its name
  std::string_view flags;  ///< that mean something to it
};

constexpr std::array kParts{
    Part{"ls", artifacts_ls, 1, "--json"},
    Part{"get", artifacts_get, static_cast<std::size_t>(-1), "--output"},
    Part{"show", artifacts_show, 1, "--output"},
    Part{"gc", artifacts_gc, 0, "--older-than --max --dry-run"},
    Part{"verify", artifacts_verify, 0, ""},
};

/// The flags that were given.
std::vector<std::string_view> given(const Arguments& arguments) {
  std::vector<std::string_view> flags;
  if (arguments.reporting.json) flags.emplace_back("--json");
  if (!arguments.output.empty()) flags.emplace_back("--output");
  if (!arguments.older_than.empty()) flags.emplace_back("--older-than");
  if (!arguments.max.empty()) flags.emplace_back("--max");
  if (arguments.dry_run) flags.emplace_back("--dry-run");
  return flags;
}

std::string age_text(artifacts::Time then) {
  const auto age = std::max<std::chrono::milliseconds>(
      std::chrono::milliseconds(0), std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::system_clock::now() - then));
  const auto days = std::chrono::duration_cast<std::chrono::days>(age).count();
  return days > 1 ? std::to_string(days) + "d" : short_duration(age);
}

std::string table_of(const std::vector<Kept>& list) {
  Table table({"RUN", "AGE", "SIZE", "TYPE", "SHA256", "PATH", "COMMAND"});
  constexpr std::size_t kDigits = 12;  // as many as tell contents apart
  constexpr std::size_t kMostOfCommand = 500;
  std::string command;
  const artifacts::Run* last = nullptr;
  for (const Kept& kept : list) {
    if (kept.run.get() != last) command = printable(quote_command(kept.run->argv), kMostOfCommand);
    last = kept.run.get();
    table.add({kept.run->id, age_text(kept.run->ended_at), short_bytes(kept.artifact.bytes),
               printable(kept.artifact.media_type), kept.artifact.sha256.substr(0, kDigits),
               printable(kept.artifact.path, 4096), command});
  }
  return table.text(os::terminal_columns(STDOUT_FILENO));
}

/// One after the other: each has the command of its run.
int print_json(const std::vector<Kept>& list) {
  std::string_view before = "[";
  for (const Kept& kept : list) {
    if (print(std::string(before) + json_line(artifact_json(kept))) != kSuccess) return kFailed;
    before = ",";
  }
  return print(list.empty() ? "[]\n" : "]\n");
}

Result<std::vector<Kept>> find_all(const Arguments& arguments) {
  const auto store = SBX_TRY(artifacts::Store::open(false));
  const bool one = arguments.operands.size() > 1;
  if (!store.exists() && one) return std::unexpected(artifacts::no_such_run(arguments.operands[1]));
  if (!store.exists()) return std::vector<Kept>{};
  auto opened = SBX_TRY(store.opened(artifacts::Use::look));
  if (!one) return opened.index().list({});
  const artifacts::Run run = SBX_TRY(opened.find(arguments.operands[1]));
  return opened.index().list(run.id);
}

}  // namespace

int artifacts_ls(const Arguments& arguments) {
  const auto list = find_all(arguments);
  if (!list) return fail_with(list.error());
  if (!arguments.reporting.json) return print(table_of(*list));
  return print_json(*list);
}

int artifacts_command(const Arguments& arguments) {
  if (arguments.operands.empty()) return wrong_operand(arguments);
  const auto* const part = std::ranges::find(kParts, arguments.operands[0], &Part::name);
  if (part == kParts.end()) return wrong_operand(arguments);
  const std::string verb = "`sbx artifacts " + std::string(part->name) + "`";
  const std::string hint = "all of it: sbx artifacts --help";
  for (const std::string_view flag : given(arguments)) {
    if (part->flags.find(flag) != std::string_view::npos) continue;
    return fail_with(usage_error(verb + " has no flag " + quote(flag), hint));
  }
  if (arguments.operands.size() - 1 > part->most_words) {
    say(usage_error(verb + " takes no " + quote(arguments.operands[part->most_words + 1]), hint)
            .to_string());
    return kFailed;
  }
  return part->command(arguments);
}

}  // namespace sbx::cli
