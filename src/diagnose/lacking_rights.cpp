#include "diagnose/lacking_rights.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "diagnose/container_advice.hpp"

namespace sbx::diagnose {

/// Root of a container, whose rights were taken away (capabilities(7)): for ids and files that are
/// given to a run, or for folders that are shown as its own.
Cause lacking_cause(Feature feature, const Surroundings& around) {
  if (around.euid != 0) return {};
  std::vector<std::string> lacking;
  for (const std::string& name : around.lacking)
    if ((name == "CAP_SYS_ADMIN") == (feature == Feature::idmapped_mount)) lacking.push_back(name);
  if (lacking.empty()) return {};
  return {"root has no " + join(lacking, " and no ") + " here, which " +
              (feature == Feature::idmapped_mount ? "showing a folder to a run of root's takes"
                                                  : "giving a run of root's its own ids takes"),
          container_advice(around.container, Obstacle::ids) + ", or give root these rights"};
}

bool lacks_ids(const Surroundings& around) {
  return around.euid == 0 && std::ranges::any_of(around.lacking, [](const std::string& name) {
           return name != "CAP_SYS_ADMIN";
         });
}

}  // namespace sbx::diagnose
