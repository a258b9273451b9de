// Puts one file, link or pipe in its place: made complete under another name, then renamed over
// what was there.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/store.hpp"
#include "changes/tree.hpp"

namespace sbx::changes {

class Replacer {
 public:
  /// Both stay the caller's.
  Replacer(const KeptRun& kept, int workspace);

  /// Takes away what one that was killed has left.
  Result<void> begin();
  /// Nothing is under way any more.
  void end();

  /// Makes `change.path` what `change.after` says; `now` is what stands there.
  SysResult<void> put(const Change& change, const Entry& now);
  /// It is there already, for others of its link group to be made of.
  void note_link(const Change& change);
  /// It has what it is to have. Is it also one file with the others of its link group? The first
  /// that is asked for is what the others are compared with.
  bool is_joined(const Change& change);
  /// Started by root: what is made is the workspace owner's.
  SysResult<void> give_owner(const Spot& spot) const;

 private:
  SysResult<void> make_and_rename(const Change& change, const Spot& spot, const Entry& now);
  SysResult<void> make(const Change& change, const Spot& spot);
  SysResult<void> make_file(const Change& change, const Spot& spot);
  SysResult<bool> make_link(const Change& change, const Spot& spot);
  SysResult<void> write_down(std::string_view path);

  const KeptRun& kept_;
  int top_;
  Workspace tree_;
  Workspace sources_;
  std::string temporary_;           ///< the name, in whatever folder
  std::string written_down_ = "/";  ///< the folder that our note names; "/": none
  std::map<std::uint64_t, const Change*> sources_of_;  ///< by link group
};

}  // namespace sbx::changes
