// Attacks through the other system-call tables of an x86-64 kernel: the 32-bit one, entered by
// int 0x80 from 64-bit code, and x32, whose numbers carry bit 30 (firejail 0.9.42). A filter that
// compares numbers alone sees other calls than the kernel does.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "verdict.hpp"

namespace probe {
namespace {

#ifdef __x86_64__

constexpr long kX32Bit = 0x40000000;

long call_32bit(long number, long first, long second, long third) {
  long result = 0;
  // The kernel clears r8 to r11 on this entry; the arguments are cut to 32 bits.
  asm volatile("int $0x80"
               : "=a"(result)
               : "0"(number), "b"(first), "c"(second), "d"(third)
               : "memory", "r8", "r9", "r10", "r11");
  return result;
}

/// Any answer at all is one too many, an errno included: the table must not be reachable.
Verdict answered(long result, const std::string& what) {
  if (result < 0 && result > -4096)
    return escaped(what + " answered errno " + std::to_string(-result));
  return escaped(what + " answered " + std::to_string(result));
}

Verdict table_32bit(Args args) {
  const long number = std::atol(args[0]);
  return in_child([&] { return answered(call_32bit(number, 0, 0, 0), "int 0x80 call"); });
}

/// The worst a 32-bit call could do: open a file that the 64-bit filter would judge by openat.
Verdict mount_32bit(Args /*args*/) {
  constexpr long kMount32 = 21;
  return in_child([] {
    // Arguments have to lie below 4 GiB to survive the cut.
    void* low =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (low == MAP_FAILED) return untestable("mmap", errno);
    std::strcpy(static_cast<char*>(low), "/tmp");
    const long at = reinterpret_cast<long>(low);
    return answered(call_32bit(kMount32, at, at, at), "32-bit mount");
  });
}

Verdict table_x32(Args args) {
  const long number = kX32Bit | std::atol(args[0]);
  return in_child([&] {
    const long result = syscall(number, 0, 0, 0, 0);
    return answered(result < 0 ? -errno : result, "x32 call");
  });
}

constexpr Verb kVerbs[] = {
    {"call-32bit", "NUMBER", 1, table_32bit},
    {"mount-32bit", "", 0, mount_32bit},
    {"call-x32", "NUMBER", 1, table_x32},
};

std::span<const Verb> verbs() { return kVerbs; }

#else

std::span<const Verb> verbs() { return {}; }

#endif

}  // namespace

std::span<const Verb> foreign_verbs() { return verbs(); }

}  // namespace probe
