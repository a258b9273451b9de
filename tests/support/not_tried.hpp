// A C++ test that this host or user cannot run says so in a line that tests/support/summary.py
// counts as a skip: doctest knows no such outcome at run time.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <iostream>
#include <string>

namespace sbx::test {

/// The caller returns after it. `why` is held against tests/accepted-skips.txt.
inline void not_tried(const std::string& why) {
  std::cout << "skipped: " << doctest::getContextOptions()->currentTest->m_name << ": " << why
            << '\n'
            << std::flush;
}

/// Whether we are root; says that the test is not tried if not.
inline bool is_root() {
  if (::geteuid() == 0) return true;
  not_tried("needs root: tests run as an ordinary user");
  return false;
}

}  // namespace sbx::test
