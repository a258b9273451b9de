// How the page looks: one stylesheet, light and dark, for screens of any width and for paper.
#pragma once

#include <string_view>

namespace sbx::report {

/// Loads nothing; its hash stands in the page's Content-Security-Policy.
extern const std::string_view kStyle;

}  // namespace sbx::report
