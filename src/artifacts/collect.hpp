// What a run leaves behind that its profile wants: chosen, copied, and told by its type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/artifact.hpp"
#include "artifacts/staging.hpp"
#include "base/error.hpp"
#include "os/ids.hpp"

namespace sbx::artifacts {

struct Wish {
  std::vector<std::string> patterns{};  ///< as those of `mask`; a folder means all that is in it
  std::uint64_t max_bytes = 0;          ///< of all together
  std::uint64_t max_files = 0;
  std::vector<std::string> never{};  ///< files that no pattern means
  /// Files and folders that are not there for whoever wishes (absolute). Empty: none is hidden.
  std::function<bool(const std::string& path)> hides{};
  /// May a file have this name in the store? Empty: any.
  std::function<bool(const std::string& path)> tells{};
  /// Is somebody waiting for us to give up? Asked for each file; empty: nobody. Nothing is kept
  /// then.
  std::function<bool()> ended{};
  /// For each text, what becomes of it. Empty: it is kept as it is.
  std::function<TextFilter()> filter{};
};

struct Collection {
  std::vector<Artifact> artifacts{};    ///< by path
  std::vector<std::string> warnings{};  ///< what was left, and why
};

/// Copies to `staging` what `wish` means in the tree of `root` (O_PATH), with the rights of `ids`
/// (none: our own). In the order of the paths each file is kept that still fits. Error: nothing is,
/// because the store cannot take it.
Result<Collection> collect(int root, std::optional<os::Ids> ids, const Wish& wish,
                           Staging& staging);

}  // namespace sbx::artifacts
