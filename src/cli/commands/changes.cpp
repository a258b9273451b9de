// `sbx diff`, `sbx apply` and `sbx discard`: what runs have changed in their workspaces, kept until
// somebody wants it, or does not.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_line.hpp"
#include "base/text.hpp"
#include "changes/apply.hpp"
#include "changes/changes_json.hpp"
#include "changes/diff_view.hpp"
#include "changes/kept_contents.hpp"
#include "changes/unfinished.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"
#include "os/folder.hpp"
#include "os/pty.hpp"

namespace sbx::cli {
namespace {

using changes::ChangeSet;
using changes::KeptRun;
using changes::Store;
using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) { return json_line(json) + "\n"; }

/// A kept run, opened, with what its line of the table or its diff is made of.
struct Opened {
  KeptRun kept;
  ChangeSet set;
  os::UniqueFd workspace{};  ///< none: it is gone, or not ours to look into
  int closed = 0;            ///< the error then
};

Result<Opened> open_run(const Store& store, std::string_view word, Store::Use use) {
  KeptRun kept = SBX_TRY(store.find(word, use));
  ChangeSet set = SBX_TRY(changes::read_changes(kept));
  auto workspace = os::open_folder_strict(set.workspace);
  if (!workspace) return Opened{std::move(kept), std::move(set), {}, workspace.error().value};
  return Opened{std::move(kept), std::move(set), std::move(*workspace)};
}

/// The same with only the changes that `arguments` name after the run.
Result<Opened> open_wanted(const Store& store, const Arguments& arguments) {
  Opened opened = SBX_TRY(open_run(store, arguments.operands[0], Store::Use::look));
  // A pager may keep us for hours, and another terminal's apply or discard would wait unseen.
  opened.kept.unlock();
  const auto wanted =
      SBX_TRY(changes::select(opened.set, std::span(arguments.operands).subspan(1)));
  std::vector<changes::Change> chosen;
  chosen.reserve(wanted.size());
  for (const std::size_t i : wanted) chosen.push_back(std::move(opened.set.changes[i]));
  opened.set.changes = std::move(chosen);
  return opened;
}

/// What its line is made of: the changes of all runs together may be more than there is memory.
struct Summary {
  ChangeSet set;  ///< without them
  changes::Totals sum{};
};

struct AllKept {
  std::vector<Summary> runs;  ///< by when they ended
  bool whole = true;          ///< what cannot be read is said, and left out
};

/// Of a run that was there a moment ago: somebody has discarded it.
bool is_gone(const Error& error) { return error.kind == ErrorKind::usage; }

Result<AllKept> all_kept(const Store& store) {
  AllKept all;
  for (const std::string& run : SBX_TRY(store.runs())) {
    auto opened = open_run(store, run, Store::Use::look);
    if (!opened && is_gone(opened.error())) continue;
    if (!opened) {
      say(opened.error().to_string());
      all.whole = false;
      continue;
    }
    Summary one{std::move(opened->set)};
    one.sum = changes::totals(one.set);
    one.set.changes = std::vector<changes::Change>();
    one.set.omitted = std::vector<changes::Omission>();
    all.runs.push_back(std::move(one));
  }
  std::ranges::stable_sort(all.runs, {}, [](const Summary& one) { return one.set.ended_at; });
  return all;
}

int list_json(const std::vector<Summary>& all) {
  std::string text = "[";
  for (const auto& [set, sum] : all)
    text += (text.size() > 1 ? "," : "") + json_line(changes::head_json(set, sum));
  return print(text + "]\n");
}

int list_table(const std::vector<Summary>& all) {
  Table table(
      {"RUN", "ENDED", "PROFILE", "ADDED", "MODIFIED", "DELETED", "SIZE", "WORKSPACE", "COMMAND"});
  for (const auto& [set, sum] : all)
    table.add({set.run, set.ended_at, printable(set.profile), std::to_string(sum.added),
               std::to_string(sum.modified), std::to_string(sum.deleted), short_bytes(sum.bytes),
               printable(set.workspace, 4096), quote_command(set.argv)});
  return print(table.text(os::terminal_columns(STDOUT_FILENO)));
}

int list_kept(const Store& store, bool json) {
  const auto all = all_kept(store);
  if (!all) return fail_with(all.error());
  const int printed = json ? list_json(all->runs) : list_table(all->runs);
  return all->whole ? printed : kFailed;
}

changes::ViewOptions view_options() {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  changes::ViewOptions options;
  options.colour = wants_colour();
  options.escape = terminal;
  if (terminal) options.columns = static_cast<int>(os::terminal_columns(STDOUT_FILENO));
  return options;
}

int print_json(const ChangeSet& set) {
  int printed = kSuccess;
  changes::json_view(set, [&printed](std::string_view text) {
    printed = print(text);
    return printed == kSuccess;
  });
  return printed;
}

int print_diff(const Opened& opened, const Arguments& arguments) {
  changes::KeptContents contents(opened.kept, opened.workspace.get());
  const changes::ReadContent read = [&contents](const changes::Change& change, bool after) {
    return contents.read(change, after);
  };
  const changes::ViewOptions options = view_options();
  int printed = kSuccess;
  const auto put = [&printed](std::string_view text) {
    printed = print(text);
    return printed == kSuccess;
  };
  if (!arguments.patch_only) {
    const std::string stat = changes::stat_view(opened.set, read, options);
    if (!put(arguments.stat_only ? stat : stat + "\n")) return printed;
  }
  if (!arguments.stat_only) changes::patch_view(opened.set, read, options, put);
  return printed;
}

Error no_workspace(const ChangeSet& set, int error) {
  const bool gone = error == ENOENT || error == ENOTDIR || error == ELOOP;
  return {.kind = ErrorKind::host,
          .what = "cannot open the workspace " + quote(set.workspace) + " of run " + set.run,
          .hint = std::string(gone ? "it is gone, or a symbolic link stands on the way; " : "") +
                  "the changes stay kept, and sbx diff " + set.run + " shows them",
          .sys_errno = error};
}

int report_conflicts(const Opened& opened, const changes::Applied& applied) {
  for (const changes::Conflict& conflict : applied.conflicts)
    say("conflict: " + quote(conflict.path) + ": " + conflict.why);
  say("nothing was applied; name the paths that you want: sbx apply " + opened.set.run +
      " PATH...");
  return kFailed;
}

int report_applied(const Opened& opened, const changes::Applied& applied) {
  std::string text = std::to_string(applied.done) + (applied.done == 1 ? " change" : " changes") +
                     " applied to " + quote(opened.set.workspace);
  if (applied.already != 0) text += ", " + std::to_string(applied.already) + " there already";
  return print(text + "\n");
}

/// With what an interrupted apply left in the workspace, as nobody can go on with it then. Damaged
/// or not: whoever discards a run wants it gone.
Result<void> discard(const Store& store, std::string_view word) {
  const KeptRun kept = SBX_TRY(store.find(word, Store::Use::change));
  const auto set = changes::read_changes(kept);
  const auto workspace =
      set ? os::open_folder_strict(set->workspace) : SysResult<os::UniqueFd>(std::unexpect);
  if (workspace) {
    const auto cleared = changes::clear_unfinished(kept, *set, workspace->get());
    if (!cleared)
      say("warning: an interrupted apply may have left a file .sbx-apply-" + kept.run +
          ", or folders of another mode, in " + quote(set->workspace) + ": " +
          errno_name(cleared.error().value));
  }
  if (const auto removed = store.remove(kept); !removed)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot remove the kept changes of " + kept.run,
                                 .sys_errno = removed.error().value});
  return {};
}

/// What stands against one keeps no other.
int discard_all(const Store& store) {
  const auto runs = store.runs();
  if (!runs) return fail_with(runs.error());
  int code = kSuccess;
  for (const std::string& run : *runs) {
    const auto done = discard(store, run);
    if (!done && !is_gone(done.error())) code = fail_with(done.error());
  }
  return code;
}

}  // namespace

int diff_command(const Arguments& arguments) {
  if (arguments.stat_only && arguments.patch_only)
    return fail_with({ErrorKind::usage,
                      "--stat and --patch do not go together",
                      {},
                      "without either, `sbx diff` prints both"});
  const auto store = Store::open(false);
  if (!store) return fail_with(store.error());
  if (arguments.operands.empty()) return list_kept(*store, arguments.reporting.json);
  const auto opened = open_wanted(*store, arguments);
  if (!opened) return fail_with(opened.error());
  if (arguments.reporting.json) return print_json(opened->set);
  return print_diff(*opened, arguments);
}

int apply_command(const Arguments& arguments) {
  if (arguments.operands.empty()) return wrong_operand(arguments);
  const auto store = Store::open(false);
  if (!store) return fail_with(store.error());
  const auto opened = open_run(*store, arguments.operands[0], Store::Use::change);
  if (!opened) return fail_with(opened.error());
  if (!opened->workspace.valid()) return fail_with(no_workspace(opened->set, opened->closed));
  const auto wanted = changes::select(opened->set, std::span(arguments.operands).subspan(1));
  if (!wanted) return fail_with(wanted.error());
  const auto applied = changes::apply(opened->kept, opened->set, opened->workspace.get(), *wanted);
  if (!applied) return fail_with(applied.error());
  if (arguments.reporting.json) {
    const int printed = print(line_of(applied_json(opened->set, *applied)));
    return applied->conflicts.empty() ? printed : kFailed;
  }
  return applied->conflicts.empty() ? report_applied(*opened, *applied)
                                    : report_conflicts(*opened, *applied);
}

int discard_command(const Arguments& arguments) {
  if (arguments.operands.empty() != arguments.all)
    return fail_with({ErrorKind::usage,
                      arguments.all ? "--all and the name of a run do not go together"
                                    : "`sbx discard` needs the name of a run, or --all",
                      {},
                      "usage: sbx " + std::string(arguments.verb->synopsis) +
                          "; runs whose changes are kept: sbx diff"});
  const auto store = Store::open(false);
  if (!store) return fail_with(store.error());
  if (arguments.all) return discard_all(*store);
  std::set<std::string> runs;  // all of them, before any goes; each once, however it is named
  for (const std::string& word : arguments.operands) {
    const auto kept = store->find(word, Store::Use::look);
    if (!kept) return fail_with(kept.error());
    runs.insert(kept->run);
  }
  for (const std::string& run : runs) {
    if (const auto done = discard(*store, run); !done) return fail_with(done.error());
  }
  return kSuccess;
}

}  // namespace sbx::cli
