#include "diagnose/landlock_cause.hpp"

#include <cerrno>
#include <string>

#include "base/error.hpp"
#include "diagnose/container_advice.hpp"

namespace sbx::diagnose {

Cause landlock_cause(int error, const Surroundings& around) {
  if (around.filtered && error == ENOSYS)
    return {
        "this kernel has no Landlock (Linux 5.13), or a seccomp filter around sbx hides it "
        "(landlock_create_ruleset: ENOSYS)",
        container_advice(around.container, Obstacle::filter)};
  if (around.filtered && error != EOPNOTSUPP)
    return {
        "a seccomp filter around sbx refuses landlock_create_ruleset (" + errno_name(error) + ")",
        container_advice(around.container, Obstacle::filter)};
  if (error == EOPNOTSUPP || (!around.lsm.empty() && !around.lsm.contains("landlock")))
    return {
        "Landlock is built in but not switched on",
        "boot with lsm=" + (around.lsm.empty() ? std::string("...") : around.lsm) + ",landlock"};
  if (error == ENOSYS)
    return {"this kernel has no Landlock (CONFIG_SECURITY_LANDLOCK, Linux 5.13)",
            "use another kernel"};
  if (error == E2BIG)
    return {
        "a process can be inside of 16 Landlock sandboxes (landlock(7)), and around sbx are so "
        "many that its own is one too many",
        {}};
  return {};
}

}  // namespace sbx::diagnose
