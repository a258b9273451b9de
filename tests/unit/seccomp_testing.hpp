// Shared by the seccomp tests: asking a filter about a call, and reading a policy the slow way.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "seccomp/arg_block.hpp"
#include "seccomp/build.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/evaluate.hpp"
#include "seccomp/layout.hpp"

namespace sbx::seccomp::testing {

using Args = std::array<std::uint64_t, 6>;

inline constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
inline constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
inline constexpr std::uint32_t kLog = SECCOMP_RET_LOG;
constexpr std::uint32_t fails(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

/// High words that the kernel does not look at where an argument has 32 bits.
inline constexpr std::array<std::uint64_t, 4> kGarbage{0, std::uint64_t{1} << 32U,
                                                       std::uint64_t{1} << 63U, 0xffffffff00000000};

inline std::uint32_t ask(std::span<const sock_filter> program, unsigned number,
                         const Args& args = {}, std::uint32_t arch = sbx::kOwnArchitecture) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = arch;
  for (std::size_t i = 0; i < args.size(); ++i) data.args[i] = args[i];
  const auto answer = evaluate(program, data);
  REQUIRE(answer.has_value());
  return answer.value_or(0);
}

inline unsigned number_of(std::string_view name) {
  const CallFacts facts = find_call(name);
  REQUIRE_MESSAGE(facts, std::string(name));
  return facts.call->number();
}

/// A filter that answers by name.
class Asked {
 public:
  explicit Asked(const Request& request) {
    const auto policy = build_policy(request);
    REQUIRE_MESSAGE(policy.has_value(), (policy ? "" : policy.error().to_string()));
    const auto program = layout(*policy);
    REQUIRE(program.has_value());
    program_ = *program;
  }
  std::uint32_t operator()(std::string_view call, const Args& args = {}) const {
    return ask(program_, number_of(call), args);
  }
  [[nodiscard]] const std::vector<sock_filter>& program() const { return program_; }

 private:
  std::vector<sock_filter> program_;
};

inline bool holds(const ArgTest& test, const Args& args) {
  const std::uint64_t width = test.low32 ? 0xffffffff : ~std::uint64_t{0};
  const std::uint64_t argument = args[test.index] & width;
  const std::uint64_t value = test.value & width;
  switch (test.op) {
    case Compare::equal:
      return argument == value;
    case Compare::not_equal:
      return argument != value;
    case Compare::masked_equal:
      return (argument & test.mask) == value;
    case Compare::masked_not_equal:
      return (argument & test.mask) != value;
  }
  return false;
}

/// What the policy says, read rule by rule: the meaning that a compiled filter must have.
inline std::uint32_t meaning(const Policy& policy, std::string_view call, const Args& args) {
  for (const Rule& rule : policy.rules) {
    if (rule.call != call) continue;
    bool all = true;
    for (const ArgTest& test : rule.tests) all = all && holds(test, args);
    if (all) return return_value(rule.action);
  }
  return return_value(policy.default_action);
}

/// The call meets `answer` with `args`, whatever the high words of the arguments are.
inline void check_answer(const Asked& filter, std::string_view call, const Args& args,
                         std::uint32_t answer) {
  for (const std::uint64_t garbage : kGarbage) {
    Args dirty = args;
    for (std::uint64_t& argument : dirty) argument |= garbage;
    CHECK_MESSAGE(filter(call, dirty) == answer,
                  std::string(call) << " " << args[0] << " " << args[1] << " " << args[2]);
  }
}

}  // namespace sbx::seccomp::testing
