#include "os/namespace_trial.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "os/attempt.hpp"
#include "os/refused_calls.hpp"
#include "os/trial_bodies.hpp"

namespace sbx::os {
namespace {

constexpr std::uint64_t kAll =
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

/// The parts, to find the one that is refused.
struct Part {
  Feature feature;
  AttemptBody body;
};
constexpr std::array kParts{Part{Feature::user_namespace, trial::nothing},
                            Part{Feature::network_namespace, trial::network},
                            Part{Feature::uts_namespace, trial::host_name},
                            Part{Feature::mount_namespace, trial::bind},
                            Part{Feature::proc, trial::proc},
                            Part{Feature::namespace_limit, trial::namespace_limit},
                            Part{Feature::devpts, trial::devpts},
                            Part{Feature::pivot_root, trial::pivot_root}};

/// All in one child; with a new root there is no /proc that allows another one.
int everything(void* nothing) noexcept {
  for (const AttemptBody body : {trial::network, trial::host_name, trial::bind, trial::proc,
                                 trial::namespace_limit, trial::devpts, trial::pivot_root})
    if (const int error = body(nothing); error != 0) return error;
  return 0;
}

bool works(const Attempt& attempt) { return attempt.ran && !attempt.killed && attempt.error == 0; }

/// Too little of something just now, which says nothing of namespaces (as in
/// diagnose/without_namespaces.cpp): the run itself will have it, or end.
bool lacks(const Attempt& attempt) {
  constexpr std::array kTooLittle{EAGAIN, EMFILE, ENFILE, ENOMEM};
  return !attempt.killed && std::ranges::find(kTooLittle, attempt.error) != kTooLittle.end();
}

}  // namespace

std::optional<NoNamespaces> namespaces_refused() {
  const bool root = ::geteuid() == 0;
  const IdMap map{.inner_uid = 0,
                  .inner_gid = 0,
                  .outer_uid = root ? SBX_HOST_ID_FIRST : ::geteuid(),
                  .outer_gid = root ? SBX_HOST_ID_FIRST : ::getegid()};
  if (clone3_kills()) return NoNamespaces{Feature::system_calls, 0};
  const Attempt all = try_in_namespaces(kAll, everything, nullptr, &map);
  if (works(all) || lacks(all)) return std::nullopt;
  for (const Part& part : kParts) {
    const Attempt one = try_in_namespaces(kAll, part.body, nullptr, &map);
    if (lacks(one)) return std::nullopt;
    if (!works(one)) return NoNamespaces{part.feature, one.killed ? 0 : one.error};
  }
  return NoNamespaces{Feature::user_namespace, all.killed ? 0 : all.error};
}

}  // namespace sbx::os
