// The advice is tried before it is given: the policy of the changed request is evaluated.
#include "seccomp/advice.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "seccomp/conditions.hpp"
#include "seccomp/evaluate.hpp"
#include "seccomp/layout.hpp"

namespace sbx::seccomp {
namespace {

std::string list(const std::vector<std::string>& entries) {
  return "[" + join(entries, ", ") + "]";
}

/// YAML keeps @ for itself.
std::string entry_text(const std::string& entry) {
  return entry.starts_with('@') ? "\"" + entry + "\"" : entry;
}

std::string narrowing_text(const ArgAllow& entry) {
  std::vector<std::string> values;
  values.reserve(entry.in.size());
  for (const std::uint64_t value : entry.in) values.push_back(std::to_string(value));
  return "{call: " + entry.call + ", arg: " + std::to_string(entry.arg) + ", in: " + list(values) +
         "}";
}

/// `request` changed until neither its lists nor its narrowings deny the call.
void open_up(Request& request, const CallFacts& facts, const seccomp_data& call) {
  std::erase_if(request.deny, [&facts](const std::string& entry) { return covers(entry, facts); });
  if (std::ranges::none_of(request.allow,
                           [&](const std::string& entry) { return covers(entry, facts); })) {
    const bool whole = facts.group->standing == Standing::optional;
    request.allow.emplace_back(whole ? facts.group->name : facts.call->name);
  }
  for (ArgAllow& entry : request.args) {
    if (entry.call == facts.call->name &&
        std::ranges::find(entry.in, call.args[entry.arg]) == entry.in.end())
      entry.in.push_back(call.args[entry.arg]);
  }
}

/// Does its filter let `call` through?
bool passes(const Request& request, const seccomp_data& call) {
  const auto policy = build_policy(request);
  if (!policy) return false;
  const auto program = layout(*policy);
  return program && evaluate(*program, call) == SECCOMP_RET_ALLOW;
}

/// The same for the calls that do what this one can do.
void open_twins(Request& request, const CallFacts& facts, const seccomp_data& call) {
  const ConditionedCall* row = find_conditions(facts.call->name);
  if (row == nullptr) return;
  for (const Condition& condition : row->conditions)
    if (const CallFacts twin = find_call(condition.twin)) open_up(request, twin, call);
}

}  // namespace

std::string allow_entry(const CallFacts& call) {
  if (call.group->standing != Standing::optional) return std::string(call.call->name);
  return "\"" + std::string(call.group->name) + "\"";
}

bool allow_call(Request& request, const seccomp_data& call) {
  const CallFacts facts = find_call(static_cast<unsigned>(call.nr));
  if (!facts || facts.group->standing == Standing::never) return false;
  Request opened = request;
  open_up(opened, facts, call);
  if (opened == request || !passes(opened, call)) open_twins(opened, facts, call);
  if (opened == request || !passes(opened, call)) return false;
  request = std::move(opened);
  return true;
}

Changes changes(const Request& before, const Request& after) {
  Changes found;
  for (std::size_t i = before.allow.size(); i < after.allow.size(); ++i)
    found.allow.push_back(entry_text(after.allow[i]));
  if (after.deny != before.deny) {
    std::vector<std::string> entries;
    entries.reserve(after.deny.size());
    for (const std::string& entry : after.deny) entries.push_back(entry_text(entry));
    found.deny = "!replace " + list(entries);
  }
  if (after.args != before.args) {
    std::vector<std::string> narrowings;
    narrowings.reserve(after.args.size());
    for (const ArgAllow& entry : after.args) narrowings.push_back(narrowing_text(entry));
    found.args = "!replace " + list(narrowings);
  }
  return found;
}

std::string allowing_line(const Request& request, const seccomp_data& call) {
  Request opened = request;
  if (!allow_call(opened, call)) return {};
  const Changes made = changes(request, opened);
  std::vector<std::string> parts;
  if (!made.deny.empty()) parts.push_back("deny: " + made.deny);
  if (!made.allow.empty()) parts.push_back("allow: [" + join(made.allow, ", ") + "]");
  if (!made.args.empty()) parts.push_back("args: " + made.args);
  return "seccomp: {" + join(parts, ", ") + "}";
}

}  // namespace sbx::seccomp
