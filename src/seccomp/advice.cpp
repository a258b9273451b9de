// The advice is tried before it is given: the policy of the changed request is evaluated.
#include "seccomp/advice.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "seccomp/evaluate.hpp"
#include "seccomp/layout.hpp"

namespace sbx::seccomp {
namespace {

std::string list(const std::vector<std::string>& entries) {
  return "[" + join(entries, ", ") + "]";
}

std::string narrowing_text(const ArgAllow& entry) {
  std::vector<std::string> values;
  values.reserve(entry.in.size());
  for (const std::uint64_t value : entry.in) values.push_back(std::to_string(value));
  return "{call: " + entry.call + ", arg: " + std::to_string(entry.arg) + ", in: " + list(values) +
         "}";
}

/// `request` changed until neither its lists nor its narrowings deny the call; what was changed, as
/// parts of the profile's section.
std::vector<std::string> open_up(Request& request, const CallFacts& facts,
                                 const seccomp_data& call) {
  std::vector<std::string> parts;
  const auto entries = std::erase_if(
      request.deny, [&facts](const std::string& entry) { return covers(entry, facts); });
  if (entries > 0) parts.push_back("deny: !replace " + list(request.deny));
  if (std::ranges::none_of(request.allow,
                           [&](const std::string& entry) { return covers(entry, facts); })) {
    const bool whole = facts.group->standing == Standing::optional;
    request.allow.emplace_back(whole ? facts.group->name : facts.call->name);
    parts.push_back("allow: [" + allow_entry(facts) + "]");
  }
  bool narrowed = false;
  std::vector<std::string> narrowings;
  for (ArgAllow& entry : request.args) {
    if (entry.call == facts.call->name &&
        std::ranges::find(entry.in, call.args[entry.arg]) == entry.in.end()) {
      entry.in.push_back(call.args[entry.arg]);
      narrowed = true;
    }
    narrowings.push_back(narrowing_text(entry));
  }
  if (narrowed) parts.push_back("args: !replace " + list(narrowings));
  return parts;
}

}  // namespace

bool covers(std::string_view entry, const CallFacts& call) {
  return entry == call.call->name || entry == call.group->name ||
         (entry == kDefaultGroup && call.group->standing == Standing::allowed);
}

std::string allow_entry(const CallFacts& call) {
  if (call.group->standing != Standing::optional) return std::string(call.call->name);
  return "\"" + std::string(call.group->name) + "\"";
}

std::string allowing_line(const Request& request, const seccomp_data& call) {
  const CallFacts facts = find_call(static_cast<unsigned>(call.nr));
  if (!facts || facts.group->standing == Standing::never) return {};
  Request opened = request;
  const std::vector<std::string> parts = open_up(opened, facts, call);
  const auto policy = build_policy(opened);
  if (parts.empty() || !policy) return {};
  const auto program = layout(*policy);
  if (!program || evaluate(*program, call) != SECCOMP_RET_ALLOW) return {};
  return "seccomp: {" + join(parts, ", ") + "}";
}

}  // namespace sbx::seccomp
