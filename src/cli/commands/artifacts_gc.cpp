// `sbx artifacts gc` and `sbx artifacts verify`: what goes, and what is damaged.
#include <chrono>

#include "artifacts/gc.hpp"
#include "artifacts/store.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/artifacts.hpp"
#include "cli/exit_code.hpp"
#include "cli/line.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"

namespace sbx::cli {
namespace {

Result<artifacts::Rubbish> read_wishes(const Arguments& arguments) {
  artifacts::Rubbish rubbish;
  rubbish.now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  rubbish.only_say = arguments.dry_run;
  if (!arguments.older_than.empty()) {
    const auto read = parse_duration(arguments.older_than);
    if (!read) return std::unexpected(usage_error("--older-than: " + read.error(), "such as 7d"));
    rubbish.older_than = *read;
  }
  if (!arguments.max.empty()) {
    const auto read = parse_bytes(arguments.max);
    if (!read) return std::unexpected(usage_error("--max: " + read.error(), "such as 1G"));
    rubbish.max_bytes = *read;
  }
  return rubbish;
}

std::string removed_text(const artifacts::Removed& removed, bool only_say) {
  const std::size_t runs = removed.runs.size();
  return std::string(only_say ? "would remove " : "removed ") + std::to_string(runs) +
         (runs == 1 ? " run and " : " runs and ") + std::to_string(removed.contents) +
         (removed.contents == 1 ? " content (" : " contents (") + short_bytes(removed.bytes) +
         "); " + short_bytes(removed.left_bytes) + (only_say ? " would be left\n" : " left\n");
}

}  // namespace

int artifacts_gc(const Arguments& arguments) {
  const auto rubbish = read_wishes(arguments);
  if (!rubbish) return fail_with(rubbish.error());
  const auto store = artifacts::Store::open(false);
  if (!store) return fail_with(store.error());
  if (!store->exists()) return print(removed_text({}, arguments.dry_run));
  auto opened = store->opened(artifacts::Use::change);
  if (!opened) return fail_with(opened.error());
  const auto removed = artifacts::collect_garbage(*opened, *rubbish);
  if (!removed) return fail_with(removed.error());
  return print(removed_text(*removed, arguments.dry_run));
}

int artifacts_verify(const Arguments& /*arguments*/) {
  const auto store = artifacts::Store::open(false);
  if (!store) return fail_with(store.error());
  if (!store->exists()) return kSuccess;
  const auto damage = artifacts::find_damage(*store);
  if (!damage) return fail_with(damage.error());
  for (const artifacts::Damage& one : *damage)
    for (const artifacts::Kept& kept : one.kept)
      say(quote(kept.artifact.path) + " of " + kept.run->id +
          (one.missing ? ": its content is missing: " : ": its content is damaged: ") + one.digest);
  return damage->empty() ? kSuccess : kFailed;
}

}  // namespace sbx::cli
