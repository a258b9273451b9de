#include "base/late_start.hpp"

#include <utility>

namespace {
using Constructor = void (*)(int, char**, char**);
}

// The linker's (late.ld); without that script both are the same nothing.
extern "C" {
// NOLINTBEGIN: named as the linker names the arrays of other constructors.
[[gnu::weak, gnu::visibility("hidden")]] extern const Constructor __late_array_start[];
[[gnu::weak, gnu::visibility("hidden")]] extern const Constructor __late_array_end[];
// NOLINTEND
}

namespace sbx {

void start_libraries() {
  static bool started = false;
  if (std::exchange(started, true)) return;
  for (const Constructor* next = __late_array_start; next < __late_array_end; ++next)
    (*next)(0, nullptr, nullptr);
}

}  // namespace sbx
