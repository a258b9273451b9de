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

  /// The bounding set becomes `keep`, and the others stay. Needs CAP_SETPCAP, as apply() does.
  [[nodiscard]] SysResult<void> empty_bounding_set() const noexcept;
  /// Inheritable, permitted, effective and ambient sets become `keep`; the securebits then lock it
  /// that way: no uid 0, no setuid and, with the bounding set, no exec brings one back
  /// (capabilities(7)).
  [[nodiscard]] SysResult<void> apply() const noexcept;
  /// The same without the securebits.
  [[nodiscard]] SysResult<void> apply_own() const noexcept;

 private:
  struct State;
  explicit CapabilitySet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Is CAP_KILL in effect, by which processes of any user can be signalled?
bool may_signal_others();

}  // namespace sbx::os
