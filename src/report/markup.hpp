// Foreign bytes as HTML text. Whatever comes in, what comes out holds no tag, no attribute's end
// and no character that a reader cannot see: those stand as \x1b or \u202e in a <span class="e">.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sbx::report {

/// One line of text, for an element's content; line ends and tabs are made visible as well.
std::string text(std::string_view bytes);

/// The same cut after `max` bytes, with an ellipsis where it is.
std::string text(std::string_view bytes, std::size_t max);

/// Lines of text, for a <pre>: line ends (also CR LF) and tabs stay what they are.
std::string lines(std::string_view bytes);

/// For the inside of a "quoted" attribute: escapes without elements.
std::string attribute(std::string_view bytes, std::size_t max = 500);

/// `count` bytes at most, not ending inside a UTF-8 character.
std::string_view head(std::string_view bytes, std::size_t count);
/// The same from the end.
std::string_view tail(std::string_view bytes, std::size_t count);

}  // namespace sbx::report
