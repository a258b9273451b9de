// What a change is, in words, for the parts that no diff of lines shows. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "changes/change.hpp"
#include "changes/view_contents.hpp"

namespace sbx::changes {

/// Safe on a terminal; the workspace itself is ".".
std::string shown_path(std::string_view path);

/// "0755".
std::string octal_mode(unsigned mode);

/// "new folder", "deleted fifo", "file became a symlink to x", "symlink to y, was to x"; empty when
/// it is of the kind that it was.
std::string kind_words(const Change& change);

/// "0 -> 1234 bytes".
std::string size_words(const Change& change);

/// "attributes: user.a new, user.b gone, user.c changed"; empty when they are as they were, or
/// nothing is left that could have any.
std::string attribute_words(const Change& change);

/// Why there are no lines to show, in parentheses; empty when there are, or might be.
std::string content_words(ContentState state);

/// "(the host's side changed during the run)"; empty when it did not.
std::string_view disturbance(const Change& change);

/// "not kept: run/socket (a socket)".
std::string omission_words(const Omission& omission);

}  // namespace sbx::changes
