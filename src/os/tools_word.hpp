// Who may say what of the host a tool shows: the caller, by PATH and by what he has installed, and
// not the files that the sandbox works on, which a payload may have written, or whoever they are
// of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/tools_path.hpp"

namespace sbx::os {

/// A link or a first line among those files that has led to a program; empty: all is the caller's
/// own word.
struct Word {
  std::string place;
  std::string root;  ///< the folder that the profile shows, or the caller's own, in which it lies
};

/// `before`, or what `place` says if it lies in such a folder: the first one decides, but for one
/// in a folder inside of that one's.
Word word_of(const Word& before, const std::string& place, const HostFacts& facts);
Word word_of(const Word& before, const std::vector<PathLink>& links, const HostFacts& facts);

/// May `tree` be shown by such a word? Only what shows anyway, what lies in the same folder, and
/// what could be the base of a virtual environment.
bool may_show(const std::string& tree, const Word& word, const HostFacts& facts);

/// The package tree that `path` is in, whose programs need their neighbours: libraries lie in other
/// packages' folders; "": none.
std::string_view store_of(std::string_view path);

}  // namespace sbx::os
