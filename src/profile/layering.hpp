// From a name to one tree: every file of `extends`, then the overrides, laid over each other. Every
// node keeps the place where it was written. Pure; files are read through the caller's Reader.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "profile/load.hpp"
#include "profile/node.hpp"

namespace sbx::profile {

inline constexpr std::size_t kMaxExtendsDepth = 16;
inline constexpr std::size_t kMaxFiles = 64;

/// The effective document of a request, before variables are put in.
struct Layers {
  Node root;
  std::map<std::string, std::string> folders{};  ///< file -> what its relative paths start from
  std::string name{};                            ///< the profile's own file, as its Reader names it
  std::string sha256{};
};

/// Lays `over` on `base`: maps merge, lists append (unless tagged !replace), anything else
/// replaces.
void merge(Node& base, Node over);

/// nullopt when a file could not be read or parsed; findings say why.
std::optional<Layers> build_layers(const LoadRequest& request, const Reader& read,
                                   Findings& findings, Problems& unreadable);

}  // namespace sbx::profile
