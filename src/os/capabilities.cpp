#include "os/capabilities.hpp"

#include <linux/securebits.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

constexpr unsigned kLockedBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

constexpr cap_value_t kMaxCapabilities = 64;

}  // namespace

struct CapabilitySet::State {
  cap_t final_sets = nullptr;    // what stays: `keep` everywhere
  cap_t working_sets = nullptr;  // the same and CAP_SETPCAP, which the securebits need
  std::uint64_t keep = 0;        // bit n: capability number n
  ~State() {
    if (final_sets != nullptr) cap_free(final_sets);
    if (working_sets != nullptr) cap_free(working_sets);
  }
  [[nodiscard]] bool keeps(cap_value_t value) const {
    return ((keep >> static_cast<unsigned>(value)) & 1U) != 0;
  }
};

CapabilitySet::CapabilitySet(std::unique_ptr<State> state) : state_(std::move(state)) {}
CapabilitySet::CapabilitySet(CapabilitySet&&) noexcept = default;
CapabilitySet& CapabilitySet::operator=(CapabilitySet&&) noexcept = default;
CapabilitySet::~CapabilitySet() = default;

SysResult<CapabilitySet> CapabilitySet::prepare(const std::vector<std::string>& keep) {
  auto state = std::make_unique<State>();
  state->final_sets = cap_init();  // every set empty
  state->working_sets = cap_init();
  if (state->final_sets == nullptr || state->working_sets == nullptr) return fail();
  for (const std::string& name : keep) {
    cap_value_t value = 0;
    if (cap_from_name(name.c_str(), &value) != 0) return std::unexpected(Errno{EINVAL});
    state->keep |= std::uint64_t{1} << static_cast<unsigned>(value);
    for (cap_t sets : {state->final_sets, state->working_sets})
      for (const cap_flag_t flag : {CAP_PERMITTED, CAP_EFFECTIVE, CAP_INHERITABLE})
        if (cap_set_flag(sets, flag, 1, &value, CAP_SET) != 0) return fail();
  }
  const cap_value_t setpcap = CAP_SETPCAP;
  for (const cap_flag_t flag : {CAP_PERMITTED, CAP_EFFECTIVE})
    if (cap_set_flag(state->working_sets, flag, 1, &setpcap, CAP_SET) != 0) return fail();
  return CapabilitySet(std::move(state));
}

SysResult<void> CapabilitySet::empty_bounding_set() const noexcept {
  for (cap_value_t value = 0; value < kMaxCapabilities; ++value) {
    if (state_->keeps(value)) continue;
    if (::prctl(PR_CAPBSET_DROP, value, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break;  // past the last capability of this kernel
    return fail();
  }
  return {};
}

SysResult<void> CapabilitySet::apply() const noexcept {
  if (cap_set_proc(state_->working_sets) != 0) return fail();
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return fail();
  // Only ambient capabilities live through the exec of an ordinary uid (capabilities(7)).
  for (cap_value_t value = 0; value < kMaxCapabilities; ++value)
    if (state_->keeps(value) && ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, value, 0, 0) != 0)
      return fail();
  if (::prctl(PR_SET_SECUREBITS, kLockedBits, 0, 0, 0) != 0) return fail();
  if (cap_set_proc(state_->final_sets) != 0) return fail();
  return {};
}

SysResult<void> CapabilitySet::apply_own() const noexcept {
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return fail();
  if (cap_set_proc(state_->final_sets) != 0) return fail();
  return {};
}

bool may_signal_others() {
  cap_t own = cap_get_proc();
  cap_flag_value_t value = CAP_CLEAR;
  const bool known = own != nullptr && cap_get_flag(own, CAP_KILL, CAP_EFFECTIVE, &value) == 0;
  if (own != nullptr) cap_free(own);
  return known && value == CAP_SET;
}

}  // namespace sbx::os
