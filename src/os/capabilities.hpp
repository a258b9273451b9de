// Capability sets through libcap (only capabilities.cpp includes it).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

/// What a process keeps, made ready before clone so that the child allocates nothing.
class CapabilitySet {
 public:
  /// `keep`: libcap's names ("cap_chown"); empty drops everything. An unknown name is EINVAL.
  static SysResult<CapabilitySet> prepare(const std::vector<std::string>& keep);
  CapabilitySet(CapabilitySet&&) noexcept;
  CapabilitySet& operator=(CapabilitySet&&) noexcept;
  ~CapabilitySet();

  /// Bounding, inheritable, permitted, effective and ambient sets become `keep`; the securebits
  /// then lock it that way: no exec, no uid 0 and no setuid brings one back (capabilities(7)).
  [[nodiscard]] SysResult<void> apply() const noexcept;
  /// The same without bounding set and securebits, which need CAP_SETPCAP.
  [[nodiscard]] SysResult<void> apply_own() const noexcept;

 private:
  struct State;
  explicit CapabilitySet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Is CAP_KILL in effect, by which processes of any user can be signalled?
bool may_signal_others();

/// Is `name` ("cap_chown") a capability that libcap knows?
bool is_capability(const std::string& name);

}  // namespace sbx::os
