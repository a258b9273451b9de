#include "seccomp/check.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "seccomp/calls.hpp"

namespace sbx::seccomp {
namespace {

constexpr std::string_view kStart = "execve";

/// By its number: this is asked at every start, and to compare names is dear.
CallFacts starting_call() { return find_call(unsigned{SYS_execve}); }

std::unexpected<Error> refuse(std::string what, std::string hint) {
  return std::unexpected(Error{ErrorKind::profile, std::move(what), {}, std::move(hint)});
}

bool is_known(std::string_view entry) {
  return entry == kDefaultGroup || find_group(entry) != nullptr || find_call(entry);
}

std::unexpected<Error> unknown_name(std::string_view entry) {
  std::vector<std::string_view> names{kDefaultGroup};
  for (const Group& group : call_groups()) {
    names.push_back(group.name);
    for (const Call& call : group.calls) names.push_back(call.name);
  }
  const bool is_group = entry.starts_with('@');
  const std::string_view near = nearest_name(entry, names);
  std::string hint = near.empty() ? "groups start with @, such as @default; every other name is a "
                                    "system call of Linux"
                                  : "did you mean " + std::string(near) + "?";
  return refuse("unknown " + std::string(is_group ? "group" : "system call") + " \"" +
                    printable(entry) + "\"",
                std::move(hint));
}

bool is_covered(std::span<const std::string> entries, const CallFacts& call) {
  return std::ranges::any_of(entries,
                             [&call](const std::string& entry) { return covers(entry, call); });
}

/// The group that the entry names, or that its call is in; null: several, or none.
const Group* group_of(std::string_view entry) {
  const Group* group = find_group(entry);
  return group != nullptr ? group : find_call(entry).group;
}

}  // namespace

Result<void> check_name(std::string_view entry) {
  if (!is_known(entry)) return unknown_name(entry);
  return {};
}

Result<void> check_allow(std::string_view entry) {
  SBX_CHECK(check_name(entry));
  const Group* group = group_of(entry);
  if (group == nullptr || group->standing != Standing::never) return {};
  return refuse(std::string(entry) + " stays denied whatever the profile says (" +
                    std::string(group->name) + ": " + std::string(group->reason) + ")",
                "remove it from seccomp.allow");
}

Result<void> check_deny(std::string_view entry) {
  SBX_CHECK(check_name(entry));
  if (!covers(entry, starting_call())) return {};
  return refuse(std::string(entry) + (entry == kStart ? "" : ", which has execve in it,") +
                    " cannot be denied: the command itself is started by it",
                "remove it from seccomp.deny; limits.pids bounds how many processes there can be");
}

Result<void> check_start(std::span<const std::string> allow) {
  if (is_covered(allow, starting_call())) return {};
  return refuse("execve is missing, by which the command itself is started",
                "add it, or start from [\"@default\"]");
}

Result<void> check_narrowed(const ArgAllow& entry, std::size_t before,
                            std::span<const std::string> allow, std::span<const std::string> deny) {
  const std::string name = printable(entry.call, 60);
  if (entry.call.starts_with('@'))
    return refuse(name + " is a group, and a rule is about one call", "write an entry for each");
  SBX_CHECK(check_name(entry.call));
  if (entry.arg > 5)
    return refuse(name + " has no argument " + std::to_string(entry.arg),
                  "arguments are counted from 0 to 5");
  if (entry.call == kStart)
    return refuse(name + " cannot be narrowed: the command itself is started by it",
                  "its arguments are addresses, which nobody knows before");
  if (entry.in.empty())
    return refuse(name + " is left no value",
                  "name values in `in`, or put the call into seccomp.deny");
  if (before + entry.in.size() > kMostValues)
    return refuse(name + " is given more values than a filter takes (" +
                      std::to_string(kMostValues) + " for all calls together)",
                  "allow fewer");
  const CallFacts call = find_call(entry.call);
  // A profile that extends another may deny what the other narrows.
  if (is_covered(allow, call) || is_covered(deny, call)) return {};
  return refuse(name + " is not allowed, so its arguments cannot be narrowed",
                "put it into seccomp.allow, or remove the entry");
}

Result<void> check_request(const Request& request) {
  for (const std::string& entry : request.allow) SBX_CHECK(check_allow(entry));
  for (const std::string& entry : request.deny) SBX_CHECK(check_deny(entry));
  SBX_CHECK(check_start(request.allow));
  std::size_t values = 0;
  for (const ArgAllow& entry : request.args) {
    SBX_CHECK(check_narrowed(entry, values, request.allow, request.deny));
    values += entry.in.size();
  }
  return {};
}

}  // namespace sbx::seccomp
