// Spares a static build what libcgroup does first of all: to clear its table of mounts, 0.8 MB that
// the loader has just given it as zeros. That takes 200 page faults (0.6 ms of a start) and as many
// pages for as long as the run lasts. The linker sends every memset(3) of ours and of the libraries
// here (ld(1), --wrap); the C library's own go past it.
#include <cstddef>
#include <utility>

extern "C" {

/// In libcgroup's archive; not in its header, and out of reach in its shared form.
[[gnu::weak]] extern char cg_mount_table[];

// The linker's own names for the two.
void* real_memset(void* to, int byte, std::size_t size) asm("__real_memset");
void* wrapped_memset(void* to, int byte, std::size_t size) asm("__wrap_memset");

void* wrapped_memset(void* to, int byte, std::size_t size) {
  static bool untouched = true;
  if (to == cg_mount_table && cg_mount_table != nullptr && byte == 0 &&
      std::exchange(untouched, false))
    return to;
  return real_memset(to, byte, size);
}

}  // extern "C"
