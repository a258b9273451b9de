#include "os/process_title.hpp"

#include <sys/prctl.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace sbx::os {
namespace {

// The argument area, as the kernel laid it out: one block from argv[0] to the end of the last one.
char* g_begin = nullptr;
char* g_end = nullptr;

// glibc hands argc and argv to every function of .init_array, before main.
void remember(int argc, char** argv, char**) {
  if (argc <= 0) return;
  g_begin = argv[0];
  g_end = argv[argc - 1] + std::strlen(argv[argc - 1]);
}
[[gnu::used, gnu::section(".init_array")]] void (*const kRemember)(int, char**, char**) = remember;

}  // namespace

void hide_command_line(const char* title) noexcept {
  ::prctl(PR_SET_NAME, title, 0, 0, 0);
  if (g_begin == nullptr || g_end <= g_begin) return;
  const auto size = static_cast<std::size_t>(g_end - g_begin);
  std::memset(g_begin, 0, size);
  std::string_view(title).copy(g_begin, size);
}

}  // namespace sbx::os
