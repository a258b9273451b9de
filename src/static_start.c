// How the static binary starts, in place of glibc's __libc_start_main(): the same steps but two,
// and what only a debugger or the end of main()'s thread alone needs.
//
// init_cpu_features() asks the processor some 45 times with CPUID what it is. Each of them leaves a
// virtual machine, for 2 to 13 us where that is itself in one: 5 % of a whole start, to choose
// among copies of memcpy(3) of which those for every x86-64 do for what we copy. Who asks glibc
// what the processor has is told that it has nothing, and a library that dlopen(3) takes, for NSS
// or iconv(3), is refused for that: nothing here takes any (tests/cli/test_purity.py).
// __tunables_init() goes through 35 names for each variable of the caller's environment, to let
// GLIBC_TUNABLES change how our heap works (and more than that: CVE-2023-4911). All have their
// defaults without it.
//
// The order is that of csu/libc-start.c in glibc; src/meson.build has the versions that it was read
// and tested for, and takes this file for no other. Should a newer libc.a want more of its own
// libc-start.o than is defined here, the linker finds __libc_start_main twice and says so.
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Before _dl_relocate_static_pie() no address in our memory is right: with hidden symbols the code
// needs none, it counts from where it is itself.
#pragma GCC visibility push(hidden)

// NOLINTBEGIN(readability-identifier-naming): the names are glibc's and the linker's.
typedef void Constructor(int, char**, char**);
typedef void Destructor(void);

// From libc.a (elf/, csu/).
extern char** __environ;
extern void* __libc_stack_end;
extern void* _dl_random;  // AT_RANDOM: 16 random bytes of the kernel's
extern int __libc_enable_secure;
extern const ElfW(Phdr) * _dl_phdr;
extern size_t _dl_phnum;
extern size_t _dl_minsigstacksize;  // for sysconf(3), which aborts when it is 0
extern void _dl_aux_init(ElfW(auxv_t) * values);
extern void _dl_relocate_static_pie(void);
extern void __libc_setup_tls(void);
extern void __libc_early_init(_Bool first);
extern void __libc_init_first(int argc, char** argv, char** environment);
extern void __libc_check_standard_fds(void);
extern int __cxa_atexit(void (*function)(void*), void* argument, void* library);

// From crti.o and the linker.
extern const ElfW(Ehdr) __ehdr_start;
extern void _init(void);
extern void _fini(void);
extern Constructor* __preinit_array_start[];
extern Constructor* __preinit_array_end[];
extern Constructor* __init_array_start[];
extern Constructor* __init_array_end[];
extern Destructor* __fini_array_start[];
extern Destructor* __fini_array_end[];
// Empty in a binary that relocates itself, whose _dl_relocate_static_pie() does these as well.
extern const ElfW(Rela) __rela_iplt_start[] __attribute__((weak));
extern const ElfW(Rela) __rela_iplt_end[] __attribute__((weak));

// What memcpy(3) and memset(3) go by, and init_cpu_features() would have set from the sizes of the
// processor's caches: the sizes that glibc begins with (sysdeps/x86/cacheinfo.h), and three
// quarters of the shared one, as it reckons (dl_init_cacheinfo()).
long int __x86_data_cache_size_half = 32L * 1024 / 2;
long int __x86_data_cache_size = 32L * 1024;
long int __x86_shared_cache_size_half = 1024L * 1024 / 2;
long int __x86_shared_cache_size = 1024L * 1024;
long int __x86_shared_non_temporal_threshold = 1024L * 1024 * 3 / 4;
long int __x86_rep_movsb_threshold = 2048;
long int __x86_rep_stosb_threshold = 2048;
long int __x86_rep_movsb_stop_threshold = 1024L * 1024 * 3 / 4;
int __x86_string_control = 0;

const char* _dl_get_origin(void);
__attribute__((noreturn)) int __libc_start_main(int (*main)(int, char**, char**), int argc,
                                                char** argv, void (*init)(void), void (*fini)(void),
                                                void (*rtld_fini)(void), void* stack_end);

// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop

/// What glibc's own would read from /proc/self/exe, 22 us: dlopen(3) looks there for libraries
/// whose path begins with $ORIGIN. A static binary has none.
// NOLINTNEXTLINE(performance-no-int-to-ptr): glibc's own sign of that.
const char* _dl_get_origin(void) { return (const char*)-1; }

static void run_destructors(void* unused) {
  (void)unused;
  for (size_t i = (size_t)(__fini_array_end - __fini_array_start); i > 0; --i)
    __fini_array_start[i - 1]();
  _fini();
}

static void run_constructors(int argc, char** argv) {
  for (Constructor** next = __preinit_array_start; next < __preinit_array_end; ++next)
    (*next)(argc, argv, __environ);
  _init();
  for (Constructor** next = __init_array_start; next < __init_array_end; ++next)
    (*next)(argc, argv, __environ);
}

/// Lets each function that has several forms choose its own: the plainest, as nothing is known of
/// the processor.
__attribute__((no_stack_protector)) static void choose_functions(void) {
  for (const ElfW(Rela)* next = __rela_iplt_start; next < __rela_iplt_end; ++next)
    // NOLINTNEXTLINE(performance-no-int-to-ptr): <elf.h> has addresses as integers.
    *(ElfW(Addr)*)next->r_offset = ((ElfW(Addr)(*)(void))next->r_addend)();
}

/// The canary of -fstack-protector, whose first byte is 0 so that no string runs into it, and what
/// glibc encrypts the addresses with that it keeps: at these places of the thread's block
/// (sysdeps/x86_64/nptl/tls.h, tcbhead_t), where the compiler looks for the first.
__attribute__((no_stack_protector)) static void set_guards(void) {
  const uintptr_t* const random = _dl_random;
  const uintptr_t canary = random[0] & ~(uintptr_t)0xff;
  const uintptr_t pointer_guard = random[1];
  __asm__ volatile("movq %0, %%fs:0x28" : : "r"(canary));
  __asm__ volatile("movq %0, %%fs:0x30" : : "r"(pointer_guard));
}

/// What the kernel says of this process, and where it says nothing.
__attribute__((no_stack_protector)) static void take_auxiliary_vector(char** environment) {
  char** end = environment;
  while (*end != NULL) ++end;
  _dl_aux_init((ElfW(auxv_t)*)(end + 1));
  if (_dl_phdr == NULL) {  // 2.36 took them from there itself until it was mended (BZ #29864)
    _dl_phdr = (const void*)((const char*)&__ehdr_start + __ehdr_start.e_phoff);
    _dl_phnum = __ehdr_start.e_phnum;
  }
  // AT_MINSIGSTKSZ is of Linux 5.14. glibc would ask the processor; with AVX-512 it is 3.5K.
  if (_dl_minsigstacksize == 0) _dl_minsigstacksize = 16384;
}

/// Called by _start of rcrt1.o or crt1.o.
__attribute__((no_stack_protector, noreturn)) int __libc_start_main(
    int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
    void (*rtld_fini)(void), void* stack_end) {
  (void)init;  // of binaries from before glibc 2.34
  (void)fini;
  char** const environment = argv + argc + 1;
  __environ = environment;
  __libc_stack_end = stack_end;
  take_auxiliary_vector(environment);
  _dl_relocate_static_pie();
  choose_functions();
  __libc_setup_tls();
  set_guards();
  if (rtld_fini != NULL) __cxa_atexit((void (*)(void*))rtld_fini, NULL, NULL);
  __libc_early_init(true);
  __libc_init_first(argc, argv, __environ);
  __cxa_atexit(run_destructors, NULL, NULL);
  if (__libc_enable_secure) __libc_check_standard_fds();
  run_constructors(argc, argv);
  exit(main(argc, argv, __environ));
}
