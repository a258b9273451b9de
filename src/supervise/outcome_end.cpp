#include "supervise/outcome_end.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

namespace sbx::supervise {

void set(Outcome& outcome, Status status, int process_exit, Reason reason) {
  outcome.status = status;
  outcome.process_exit = process_exit;
  outcome.reason = std::move(reason);
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string seconds(double ms) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.3fs", ms / 1000);
  return text;
}

std::string cpu_observed(const Usage& usage) {
  if (!usage.cpu_user_us || !usage.cpu_system_us) return {};
  return seconds(static_cast<double>(*usage.cpu_user_us + *usage.cpu_system_us) / 1000);
}

}  // namespace sbx::supervise
