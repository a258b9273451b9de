// The places of a git work tree that are kept, collected: whatever is kept has the folders above it
// held, because a mount goes along when the folder around it is renamed.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/git_facts.hpp"

namespace sbx::os {

class GitPlaces {
 public:
  /// What is shown as a mount of its own, with nothing of the payload's above it.
  void add_root(std::string path) { roots_.push_back(std::move(path)); }
  /// Is `path` in what the payload may write to?
  [[nodiscard]] bool covers(const std::string& path) const;
  /// Is it one of those of add_root() itself?
  [[nodiscard]] bool is_root(const std::string& path) const;

  void hold(const std::string& path) { keep(path, GitKeep::held, true); }
  void close(const std::string& path) { keep(path, GitKeep::closed, true); }
  /// `watched` false: git replaces it in the course of its work.
  void lock(const std::string& path, bool watched = true) { keep(path, GitKeep::locked, watched); }
  void forbid(const std::string& path) { keep(path, GitKeep::absent, true); }

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  /// Parents before what is in them.
  [[nodiscard]] std::vector<GitPlace> list() const;

 private:
  void keep(const std::string& path, GitKeep what, bool watched);

  std::vector<std::string> roots_;
  std::map<std::string, GitPlace> places_;  // in the order of names a parent comes first
};

}  // namespace sbx::os
