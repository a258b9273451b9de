// Two libraries include <iostream>, whose static initialiser makes eight streams and their locale
// at every start: 6 % of the instructions of one, and a dozen page faults. Nobody here uses
// std::cout and the like (tests/cli/test_purity.py), so the linker's --wrap leads that initialiser
// here. String streams, which yaml-cpp does use, make the locale when they need it.

extern "C" {
// NOLINTBEGIN: the names are ld(1)'s for std::ios_base::Init's constructor and destructor.
void __wrap__ZNSt8ios_base4InitC1Ev(void* /*init*/) {}
void __wrap__ZNSt8ios_base4InitD1Ev(void* /*init*/) {}
// NOLINTEND
}
