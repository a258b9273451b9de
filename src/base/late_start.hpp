// Libraries whose constructors wait until they are needed.
#pragma once

namespace sbx {

/// Before anything of yaml-cpp or CLI11 is called: runs their constructors, once. Where the linker
/// was not given late.ld they have run before main(), and this does nothing. Not for two threads at
/// a time.
void start_libraries();

}  // namespace sbx
