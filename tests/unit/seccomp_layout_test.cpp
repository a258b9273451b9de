// The compiler means what the policy says, for policies nobody would write as well; and the machine
// that the tests rely on refuses what is not a program.
#include <doctest/doctest.h>

#include <random>

#include "seccomp/layout.hpp"
#include "seccomp_testing.hpp"

using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)

namespace {

/// Few distinct values, so that random tests and random arguments meet.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned limit) { return static_cast<unsigned>(engine_() % limit); }
  std::uint64_t value() {
    const std::uint64_t low = below(4) == 0 ? 0xfffffff0U + below(16) : below(12);
    return low | kGarbage[below(kGarbage.size())];
  }
  Args args() {
    Args all{};
    for (std::uint64_t& argument : all) argument = value();
    return all;
  }
  Action action() {
    switch (below(4)) {
      case 0:
        return {ActionKind::allow};
      case 1:
        return {ActionKind::kill};
      case 2:
        return {ActionKind::log};
      default:
        return {ActionKind::fail, 1 + static_cast<int>(below(100))};
    }
  }
  ArgTest test() {
    constexpr std::array kAll{Compare::equal, Compare::not_equal, Compare::masked_equal,
                              Compare::masked_not_equal};
    ArgTest made{below(3), kAll[below(kAll.size())], value(), value(), below(4) != 0};
    if (below(2) == 0) made.op = Compare::not_equal;
    if (below(2) == 0) made.value &= made.mask;
    if (below(3) == 0) made.value = 0;
    return made;
  }
  Rule rule(std::string_view call, unsigned most_tests) {
    Rule made{std::string(call), action()};
    for (unsigned i = below(most_tests + 1); i > 0; --i) made.tests.push_back(test());
    return made;
  }

 private:
  std::mt19937 engine_;
};

constexpr std::array<std::string_view, 6> kSomeCalls{"read",   "write",  "clone",
                                                     "clone3", "socket", "file_setattr"};

Policy random_policy(Dice& dice, unsigned most_tests) {
  Policy policy;
  policy.default_action = dice.action();
  for (const std::string_view call : kSomeCalls) {
    for (unsigned i = dice.below(6); i > 0; --i)
      policy.rules.push_back(dice.rule(call, most_tests));
  }
  return policy;
}

void check_meaning(const Policy& policy, Dice& dice) {
  const auto program = layout(policy);
  REQUIRE(program.has_value());
  for (int round = 0; round < 40; ++round) {
    for (const std::string_view call : kSomeCalls) {
      const Args args = dice.args();
      REQUIRE(ask(*program, number_of(call), args) == meaning(policy, call, args));
    }
  }
  CHECK(ask(*program, number_of("close")) == return_value(policy.default_action));
}

}  // namespace

TEST_CASE("a filter answers as its policy reads, for 1500 random policies") {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    check_meaning(random_policy(dice, 4), dice);
  }
}

TEST_CASE("rules too long for a short jump are reached all the same") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    check_meaning(random_policy(dice, 90), dice);
  }
}

TEST_CASE("the default filters answer as their policies read") {
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const auto policy = build_policy({.on_deny = mode});
    const auto program = layout(*policy);
    Dice dice(1);
    for (const Group& group : call_groups()) {
      for (const Call& call : group.calls) {
        for (int round = 0; round < 8; ++round) {
          const Args args = dice.args();
          REQUIRE(ask(*program, call.number(), args) == meaning(*policy, call.name, args));
        }
      }
    }
  }
}

TEST_CASE("the default filter stays small: the kernel's load time grows with it") {
  CHECK(layout(*build_policy({}))->size() < 260);
}

TEST_CASE("a policy that names nonsense is refused, not compiled into nothing") {
  CHECK_FALSE(layout({.rules = {{"no_such_call", {}}}}).has_value());
  CHECK_FALSE(layout({.rules = {{"read", {}, {{.index = 6}}}}}).has_value());
  Policy huge;
  Dice dice(7);
  for (int i = 0; i < 3000; ++i) {
    huge.rules.push_back({"read", {ActionKind::kill}, {dice.test(), dice.test(), dice.test()}});
  }
  CHECK_FALSE(layout(huge).has_value());
}

TEST_CASE("the evaluator refuses what the kernel would refuse") {
  const seccomp_data data{};
  const auto answer = [&data](std::vector<sock_filter> program) { return evaluate(program, data); };
  CHECK(answer({{BPF_RET | BPF_K, 0, 0, 5}}) == 5);
  CHECK_FALSE(answer({}).has_value());
  CHECK_FALSE(answer({{BPF_JMP | BPF_JA, 0, 0, 7}}).has_value());
  CHECK_FALSE(answer({{BPF_LD | BPF_W | BPF_ABS, 0, 0, 64}, {BPF_RET | BPF_K, 0, 0, 0}}));
  CHECK_FALSE(answer({{BPF_LD | BPF_W | BPF_ABS, 0, 0, 2}, {BPF_RET | BPF_K, 0, 0, 0}}));
  CHECK_FALSE(answer({{BPF_LD | BPF_IMM, 0, 0, 2}, {BPF_RET | BPF_K, 0, 0, 0}}));
}
