// Look-ups in the table of system calls. Linear on purpose: names are looked up only for what a
// profile writes, a handful, and the hot path looks up none.
#include "seccomp/calls.hpp"

namespace sbx::seccomp {
namespace {

template <class Matches>
CallFacts find_if(Matches matches) {
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      if (matches(call)) return CallFacts{&call, &group};
    }
  }
  return {};
}

}  // namespace

const Group* find_group(std::string_view name) {
  for (const Group& group : call_groups()) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

CallFacts find_call(std::string_view name) {
  return find_if([name](const Call& call) { return call.name == name; });
}

CallFacts find_call(unsigned number) {
  return find_if([number](const Call& call) { return call.exists() && call.number() == number; });
}

bool stands_for(std::string_view entry, const Group& group) {
  return entry == group.name || (entry == kDefaultGroup && group.standing == Standing::allowed);
}

bool covers(std::string_view entry, const CallFacts& call) {
  return entry == call.call->name || stands_for(entry, *call.group);
}

}  // namespace sbx::seccomp
