// What of the host's /dev a profile asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/builder.hpp"

namespace sbx::plan {

struct Node {
  std::string path;  ///< "/dev/fuse"
  std::string_view reason;
  std::string key;  ///< "devices[0]"
};

/// Each node once. An error: this host has no graphics processor for `gpu`.
Result<std::vector<Node>> named_nodes(const Builder& builder);

/// What the drivers of `gpu` need besides; once the root is there.
Result<void> plan_gpu(Builder& builder, class Tree& tree);

}  // namespace sbx::plan
