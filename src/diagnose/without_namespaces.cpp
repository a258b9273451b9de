#include "diagnose/without_namespaces.hpp"

#include <algorithm>
#include <cerrno>

#include "diagnose/lacking_rights.hpp"

namespace sbx::diagnose {

bool can_do_without(std::optional<Feature> feature, int error, const Surroundings& around) {
  constexpr int kSignalScope = 6;  // Landlock ABI, Linux 6.12
  // Too little of something, or a call that this tier needs as well.
  const bool lacks =
      error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM ||
      around.container == "sbx" || lacks_ids(around) ||
      std::ranges::find(around.refused, "openat2", &RefusedCall::name) != around.refused.end();
  return feature && !lacks && *feature >= Feature::user_namespace &&
         *feature <= Feature::pivot_root && *feature != Feature::time_namespace &&
         around.landlock_abi >= kSignalScope;
}

}  // namespace sbx::diagnose
