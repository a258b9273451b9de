// A plan that can be asked why.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include "plan/why.hpp"
#include "plan_testing.hpp"
#include "profile_testing.hpp"

namespace sbx::plan::testing {

struct Planned {
  profile::Profile profile;
  Plan plan;

  [[nodiscard]] Answer ask(std::string_view question, const Host& host = {}) const {
    auto answer = why(profile, plan, question, host);
    if (!answer) FAIL(answer.error().to_string());
    return *std::move(answer);
  }
  [[nodiscard]] std::string refusal(std::string_view question) const {
    const auto answer = why(profile, plan, question);
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().kind == ErrorKind::usage);
    return answer.error().to_string();
  }
};

inline Planned planned(const std::string& text, const HostFacts& facts = host_of_user()) {
  profile::Profile profile = sbx::testing::must_load(text);
  auto plan = build(profile, command(), facts);
  if (!plan) FAIL(plan.error().to_string());
  return {std::move(profile), *std::move(plan)};
}

}  // namespace sbx::plan::testing
