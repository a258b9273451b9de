// A fake home for the tests of tools:, and what find_tool shows of it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../support/temp_tree.hpp"
#include "os/probe.hpp"

namespace sbx::test {

using Paths = std::vector<std::string>;

/// A caller at home/project whose PATH holds `folders` of the tree.
inline HostFacts caller(const TempTree& tree, const Paths& folders) {
  HostFacts facts;
  facts.home = tree.folder("home");
  facts.cwd = tree.folder("home/project");
  for (const std::string& folder : folders) facts.env["PATH"] += tree.path(folder) + ":";
  facts.env["PATH"] += "/usr/bin:/bin";
  facts.root_entries.push_back({"/usr", EntryType::directory, "/usr"});
  return facts;
}

inline Paths shown(const ToolInstallation& tool) {
  Paths paths;
  for (const RootEntry& entry : tool.trees) {
    if (entry.type == EntryType::symlink)
      paths.push_back(entry.path + " -> " + entry.link);
    else
      paths.push_back(entry.source);
  }
  std::ranges::sort(paths);
  return paths;
}

/// An interpreter's installation: PREFIX/bin/NAME beside PREFIX/lib.
inline void install(const TempTree& tree, const std::string& prefix, const std::string& name) {
  tree.program(prefix + "/bin/" + name);
  tree.folder(prefix + "/lib");
}

}  // namespace sbx::test
