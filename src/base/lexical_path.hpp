// What a path means by its text alone: right only where no link stands on it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sbx {

/// `path`, or what it is seen from the absolute `folder`, without ".", ".." and "//".
std::string lexical_path(std::string_view folder, std::string_view path);

/// Is `path` equal to `folder` or below it?
bool is_below(std::string_view path, std::string_view folder);

}  // namespace sbx
