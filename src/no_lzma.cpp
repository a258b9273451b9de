// libmagic can look into compressed files, which it is asked not to (MAGIC_NO_CHECK_COMPRESS,
// src/artifacts/magic.cpp), and brings liblzma for that: 170 KB, and a constructor that asks the
// processor at every start whether it can multiply without carry. Each CPUID leaves a virtual
// machine, for 3 to 13 us where that is itself in one. With these three the linker takes nothing of
// it; there is nothing that they would have to do.

extern "C" {
// NOLINTBEGIN: the names and types are those of <lzma.h>, which need not be installed.
int lzma_auto_decoder(void* /*stream*/, unsigned long /*memory*/, unsigned /*flags*/) {
  return 8;  // LZMA_OPTIONS_ERROR
}
int lzma_code(void* /*stream*/, int /*action*/) { return 8; }
void lzma_end(void* /*stream*/) {}
// NOLINTEND
}
