#include "supervise/denial.hpp"

namespace sbx::supervise {

std::string denial_text(const Denial& denial) {
  std::string text = denial.operation;
  if (denial.kind == "network") {
    text += " " + denial.target;
  } else if (!denial.target.empty()) {
    text += "(" + denial.target + ")";
  }
  if (denial.comm) text += ", by " + *denial.comm;
  if (denial.count > 1) text += ", " + std::to_string(denial.count) + " times";
  if (!denial.reason.empty()) text += ": " + denial.reason;
  return text;
}

}  // namespace sbx::supervise
