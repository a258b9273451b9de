// What a profile gives that no other wall takes back, and so has to be known to whoever runs it.
#include <algorithm>
#include <array>

#include "plan/builder.hpp"
#include "seccomp/calls.hpp"

namespace sbx::plan {
namespace {

/// The profile lets it pass, though by default it does not.
bool grants(const seccomp::Request& request, std::string_view name) {
  const seccomp::CallFacts call = seccomp::find_call(name);
  const auto covers = [&call](const std::string& entry) { return seccomp::covers(entry, call); };
  return std::ranges::any_of(request.allow, covers) && std::ranges::none_of(request.deny, covers);
}

}  // namespace

void warn_of_grants(Builder& b) {
  // Which most profiles are content with; to look calls up takes its time.
  const auto is_default = [](const std::string& entry) { return entry == seccomp::kDefaultGroup; };
  if (std::ranges::all_of(b.plan.seccomp.allow, is_default)) return;
  const std::string at = "seccomp.allow (" + b.written_at("seccomp.allow") + ")";
  // A key belongs to a user, whichever namespace asks (keyrings(7)).
  const bool keys =
      std::ranges::any_of(std::to_array({"keyctl", "request_key", "add_key"}),
                          [&b](std::string_view call) { return grants(b.plan.seccomp, call); });
  if (keys && !b.as_root)
    b.plan.warnings.push_back(at +
                              " lets the command use keys, and started by an ordinary user it "
                              "has that user's id: it can find, read and change his keys");
  if (grants(b.plan.seccomp, "io_uring_setup"))
    b.plan.warnings.push_back(at +
                              " lets the command use io_uring, which makes sockets of every "
                              "kind and set-user-id files past the system call filter");
}

}  // namespace sbx::plan
