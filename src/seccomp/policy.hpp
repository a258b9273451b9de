// A seccomp policy as data: what happens to which system call. Pure; build.cpp makes one from a
// profile's section, layout.cpp turns it into a BPF program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sbx::seccomp {

enum class ActionKind { allow, fail, kill, log };

struct Action {
  ActionKind kind = ActionKind::allow;
  int error = 0;  ///< errno that a `fail` answers with
  bool operator==(const Action&) const = default;
};

enum class Compare { equal, not_equal, masked_equal, masked_not_equal };

/// One comparison of a system call's argument. Only the low 32 bits are compared when `low32`
/// (the kernel reads ioctl commands, clone flags and socket families as 32 bits: CVE-2019-10063).
struct ArgTest {
  unsigned index = 0;
  Compare op = Compare::equal;
  std::uint64_t value = 0;
  std::uint64_t mask = 0;  ///< masked_*: (argument & mask) is compared with value
  bool low32 = true;
  bool operator==(const ArgTest&) const = default;
};

/// `action` for `call` when every test holds (no tests: always). Of several rules for one call the
/// first that holds decides, so the order of a call's rules matters and that of the calls does not.
struct Rule {
  std::string call;
  Action action;
  std::vector<ArgTest> tests{};
  bool operator==(const Rule&) const = default;
};

/// Calls that no rule decides get `default_action`; foreign system-call tables are always killed.
struct Policy {
  Action default_action{ActionKind::fail, 38 /* ENOSYS */};
  std::vector<Rule> rules{};
  bool operator==(const Policy&) const = default;
};

}  // namespace sbx::seccomp
