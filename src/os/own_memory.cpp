#include "os/own_memory.hpp"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/fail.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

int release_program(struct ::dl_phdr_info* info, std::size_t /*size*/, void* /*unused*/) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    // A segment that may be written has pages that are nowhere else.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t start = (info->dlpi_addr + segment.p_vaddr) & ~(page - 1);
    const std::uintptr_t end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    // That it fails changes nothing but the figure. The address comes from the program's header.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    (void)::madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
  }
  return 1;  // the program itself comes first (dl_iterate_phdr(3)); its libraries are others', too
}

}  // namespace

void release_code() noexcept { ::dl_iterate_phdr(&release_program, nullptr); }

void release_heap() noexcept { (void)::malloc_trim(0); }

SysResult<void> close_memory() noexcept {
  // A pipe of core_pattern takes cores of any size, so the limit alone would not do; and the hard
  // one stays, because the payload may be given it.
  struct ::rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) != 0) return fail();
  core.rlim_cur = 0;
  if (::setrlimit(RLIMIT_CORE, &core) != 0) return fail();
  return set_dumpable(false);
}

}  // namespace sbx::os
