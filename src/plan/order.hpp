// Which step must come before which, and why: data, checked on every plan.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace sbx::plan {

/// Every `earlier` step must stand before every `later` one of the same process.
struct OrderRule {
  std::size_t earlier;  ///< kind_index()
  std::size_t later;
  std::string_view why;
};

std::span<const OrderRule> order_rules();

/// An Error of kind internal, naming the rule, when the plan breaks one.
Result<void> check_order(const Plan& plan);

}  // namespace sbx::plan
