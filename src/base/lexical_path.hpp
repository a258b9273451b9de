// What a path means by its text alone: right only where no link stands on it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sbx {

/// `path`, or what it is seen from the absolute `folder`, without ".", ".." and "//".
std::string lexical_path(std::string_view folder, std::string_view path);

/// Is `path` equal to `folder` or below it?
bool is_below(std::string_view path, std::string_view folder);

/// Stands for the current directory once that has been removed, for who has no use for one. Nothing
/// is there, nor below it, as /dev/null is no folder; nor where some ".." lead to by the text.
inline constexpr const char* kRemovedDirectory = "/dev/null/the/current/directory/has/been/removed";

/// Is a link of this name the system's own, such as /dev/stdout and /dev/fd/5? Any other may be one
/// that a payload has made where something is to be written.
bool names_systems_link(std::string_view path);

}  // namespace sbx
