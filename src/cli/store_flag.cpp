#include "cli/store_flag.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/line.hpp"
#include "cli/override.hpp"

namespace sbx::cli {
namespace {

constexpr std::string_view kEnvFile = "--env-file";

/// Where a flag goes that changes no profile.
template <class Of, class Value>
struct Slot {
  std::string_view flag;
  Value Of::* member;
};
constexpr Slot<Arguments, bool> kSwitches[] = {
    {"--help", &Arguments::help},        {"--dry-run", &Arguments::dry_run},
    {"--timing", &Arguments::timing},    {"--quiet", &Arguments::quiet},
    {"--resume", &Arguments::resume},    {"--fail-fast", &Arguments::fail_fast},
    {"--tight", &Arguments::tight},      {"--cgroup", &Arguments::cgroup_only},
    {"--all", &Arguments::all},          {"--stat", &Arguments::stat_only},
    {"--patch", &Arguments::patch_only}, {"--watch", &Arguments::watch}};
constexpr Slot<Arguments, std::string> kValues[] = {{"--pin", &Arguments::pin},
                                                    {"--name", &Arguments::name},
                                                    {"--output", &Arguments::output},
                                                    {"--jobs", &Arguments::jobs},
                                                    {"--profile", &Arguments::profile},
                                                    {"--total-memory", &Arguments::total_memory},
                                                    {"--retry", &Arguments::retry},
                                                    {"--older-than", &Arguments::older_than},
                                                    {"--max", &Arguments::max},
                                                    {"--interval", &Arguments::interval},
                                                    {"--signal", &Arguments::signal},
                                                    {"--log", &Arguments::log},
                                                    {"--log-level", &Arguments::log_level}};
constexpr Slot<Arguments, std::vector<std::string>> kLists[] = {
    {"--why", &Arguments::why}, {"--retry-on", &Arguments::retry_on}};
constexpr Slot<Reporting, bool> kReportSwitches[] = {{"--json", &Reporting::json},
                                                     {"--ci", &Reporting::ci}};
constexpr Slot<Reporting, std::string> kReportValues[] = {{"--result", &Reporting::result},
                                                          {"--events", &Reporting::events},
                                                          {"--junit", &Reporting::junit}};

void give(bool& slot, const std::string&) { slot = true; }
void give(std::string& slot, const std::string& value) { slot = value; }
void give(std::vector<std::string>& slot, const std::string& value) { slot.push_back(value); }

template <class Of, class Value, std::size_t kCount>
void put(const Slot<Of, Value> (&slots)[kCount], const OptionSpec& option, const std::string& value,
         Of& into) {
  for (const Slot<Of, Value>& slot : slots)
    if (slot.flag == option.name) give(into.*slot.member, value);
}

}  // namespace

void store_flag(const OptionSpec& option, const std::string& value, std::string_view cwd,
                Arguments& arguments, profile::Problems& problems) {
  if (option.to_override != nullptr) {
    if (arguments.verb->verb == Verb::mcp || arguments.verb->verb == Verb::learn) {
      const std::string name(option.name);
      arguments.policy.push_back(option.argument.empty() ? name : name + "=" + value);
    }
    auto made = override_of(option, value, cwd);
    if (!made) {
      problems.push_back(std::move(made).error());
      return;
    }
    // As docker has it, files come first: what a flag says of a variable counts, wherever it
    // stands.
    auto place = arguments.overrides.end();
    if (option.name == kEnvFile)
      place = std::ranges::find_if(arguments.overrides, [](const profile::Override& other) {
        return other.flag != kEnvFile;
      });
    arguments.overrides.insert(place, *std::move(made));
    return;
  }
  // Others print there; here it would be a file of that name.
  if (option.argument.starts_with("FILE") && value == "-")
    problems.push_back(usage_error(
        std::string(option.name) + " takes a file, and - is none",
        "standard output is CMD's: fd:N and /dev/stderr are other ways out; a file of this name "
        "is ./-"));
  put(kSwitches, option, value, arguments);
  put(kValues, option, value, arguments);
  put(kLists, option, value, arguments);
  put(kReportSwitches, option, value, arguments.reporting);
  put(kReportValues, option, value, arguments.reporting);
}

}  // namespace sbx::cli
