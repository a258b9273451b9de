// Nodes to a Profile, along the table of keys. Every problem is collected; a key that is wrong
// leaves its default in place, which nobody sees because a profile with a finding is never
// returned.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "profile/keys.hpp"
#include "profile/node.hpp"
#include "profile/profile.hpp"

namespace sbx::profile {

class Decoder {
 public:
  Decoder(Profile& profile, Findings& findings, const std::map<std::string, std::string>& folders)
      : profile_(profile), findings_(findings), folders_(folders) {}

  /// Reads a map along `keys`; an unknown key is a finding with a suggestion.
  void read_map(const Node& node, std::span<const Key> keys);
  /// Reads one value into the slot; its path is already entered.
  void read_slot(const Node& node, const Slot& slot);

  /// Whole values; false, with a finding, when the node is something else.
  bool read_text(const Node& node, std::string& out);
  bool read_count(const Node& node, std::uint64_t& out, std::uint64_t most = UINT64_MAX / 2);
  /// `form`: what it takes, for advice.
  bool read_size(const Node& node, Bytes& out, std::string_view form = "a size such as 256M");
  bool want_list(const Node& node);
  /// `keys`: those that it can have, for advice.
  bool want_map(const Node& node, std::span<const Key> keys = {});
  /// Is it this word? In quotes as well: to YAML and to the schema that is the same text.
  static bool is_word(const Node& node, std::string_view word);

  /// Calls `read(item)` for every item of a list, with "[i]" entered in the path.
  template <class F>
  void each_item(const Node& list, F read) {
    if (!want_list(list)) return;
    const std::size_t before = problems();
    for (std::size_t i = 0; i < list.children.size(); ++i) {
      const Scope scope(*this, '[' + std::to_string(i) + ']', list.children[i]);
      read(list.children[i]);
    }
    if (problems() > before) findings_.excuse(list.place());  // of it without these items
  }
  template <class F>
  void each_entry(const Node& map, F read) {
    if (!want_map(map)) return;
    for (const Node& child : map.children) {
      const Scope scope(*this, '.' + child.key, child);
      read(child);
    }
  }

  void complain(const Node& node, std::string what, std::string hint = {});
  /// "`limits.wall` must be FORM, not `forever`".
  void complain_form(const Node& node, std::string_view form, std::string hint = {});
  /// No number begins as this does: its form is wrong, and not a part of it.
  static bool is_no_number(const Node& node);
  /// "`limits.memory`", for messages.
  [[nodiscard]] std::string subject() const;
  /// The folder that relative paths of the node's file start from.
  [[nodiscard]] const std::string& folder_of(const Node& node) const;
  Profile& profile() { return profile_; }
  [[nodiscard]] std::size_t problems() const { return findings_.size(); }

 private:
  /// Appends to the path, and notes in the profile who wrote this key.
  class Scope {
   public:
    Scope(Decoder& decoder, std::string_view step, const Node& node);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { decoder_.path_.resize(size_); }

   private:
    Decoder& decoder_;
    std::size_t size_;
  };

  Profile& profile_;
  Findings& findings_;
  const std::map<std::string, std::string>& folders_;
  std::string path_;
};

/// `path` with doubled and trailing slashes and `.` steps taken out; `..` stays for a check to
/// find.
std::string clean_path(std::string_view path);

/// `path` below `folder` unless it is absolute.
std::string resolve_path(const std::string& folder, const std::string& path);

}  // namespace sbx::profile
