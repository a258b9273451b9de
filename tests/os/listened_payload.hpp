// A process that is listened to, as a payload is.
#pragma once

#include "../kernel/kernel_testing.hpp"
#include "launch/prepared.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "os/seccomp_notify.hpp"
#include "plan/plan.hpp"

namespace sbx::test {

/// In the child: what plan::InstallSeccomp does. The listener goes to `channel`.
inline void filter_myself(const plan::Plan& plan, int channel) {
  launch::Filters filters;
  filters.plain = plan.filter.program();
  launch::prepare_listening(plan, channel, filters);
  expect(os::set_no_new_privs().has_value());
  auto listener = os::install_filter_with_listener(filters.told, plan.hears_at_once());
  expect(listener.has_value());
  const int passed[] = {listener->release()};
  expect(os::send_descriptors(channel, passed).has_value());
}

}  // namespace sbx::test
