// Puts one file, link or pipe in its place: made complete under another name, then renamed over
// what was there.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/held.hpp"
#include "changes/many_names.hpp"
#include "changes/note.hpp"
#include "changes/seen.hpp"
#include "changes/store.hpp"
#include "changes/tree.hpp"

namespace sbx::changes {

class Replacer {
 public:
  /// Both stay the caller's.
  Replacer(const KeptRun& kept, int workspace);

  /// Takes away what one that was killed has left, and notes that another is under way.
  Result<void> begin();

  /// Makes `change.path` what `change.after` says; `now` is what stands there, and `seen` the same.
  /// EBUSY: it is not any more.
  SysResult<void> put(const Change& change, const Entry& now, const Seen& seen);
  /// A new one, open to its owner alone.
  SysResult<void> make_folder(const Change& change);
  /// It is there already, for others of its link group to be made of.
  void note_link(const Change& change);
  /// It has what it is to have. Is it also one file with the others of its link group? The first
  /// that is asked for is what the others are compared with.
  bool is_joined(const Change& change);
  /// What has failed is that a content that was kept is not there, or is another one.
  [[nodiscard]] bool is_content_lost() const { return content_is_lost_; }
  /// What has failed, where its errno does not say.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  /// Of a file: what it is made from.
  SysResult<os::UniqueFd> open_source(const Change& change, const Spot& spot);
  SysResult<void> make_and_rename(const Change& change, const Spot& spot, const Entry& now,
                                  const Seen& seen);
  SysResult<Held> make(const Change& change, const Spot& spot, const os::UniqueFd& source);
  SysResult<Held> make_file(const Change& change, const Spot& spot, const os::UniqueFd& source);
  SysResult<bool> make_link(const Change& change, const Spot& spot);
  SysResult<void> take_its_place(const Spot& spot, const Seen& seen, bool is_new);
  /// EBUSY: it is free no more.
  SysResult<void> take_free_place(const Spot& spot);
  SysResult<void> write_down(std::string_view path);

  const KeptRun& kept_;
  Note note_;
  int top_;
  Workspace tree_;
  Workspace sources_;
  std::string temporary_;  ///< the name, in whatever folder
  bool made_ = false;      ///< something of that name, by us
  bool content_is_lost_ = false;
  std::string why_;
  std::optional<std::string> written_down_;            ///< the folder that our note names
  std::map<std::uint64_t, const Change*> sources_of_;  ///< by link group
  ManyNames linked_{};                                 ///< these
};

}  // namespace sbx::changes
