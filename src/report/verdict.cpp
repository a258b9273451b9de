// Every status of the contract (sbx schema result) has its words; one that is not known here shows
// as it is.
#include "report/verdict.hpp"

#include <array>
#include <climits>
#include <cstring>
#include <string_view>

#include "report/markup.hpp"

namespace sbx::report {
namespace {

struct Words {
  std::string_view status;
  Tone tone;
  std::string_view words;
};

constexpr std::array<Words, 15> kStatuses{{
    {"ok", Tone::good, "Succeeded"},
    {"nonzero", Tone::bad, "Failed"},
    {"signal", Tone::bad, "Killed by a signal"},
    {"timeout", Tone::stopped, "Stopped: wall time limit"},
    {"cpu_limit", Tone::stopped, "Stopped: CPU time limit"},
    {"idle_timeout", Tone::stopped, "Stopped: no output for too long"},
    {"oom", Tone::stopped, "Killed: out of memory"},
    {"output_limit", Tone::stopped, "Stopped: too much output"},
    {"disk_limit", Tone::stopped, "Stopped: disk limit"},
    {"seccomp", Tone::stopped, "Killed: system call denied"},
    {"interrupted", Tone::stopped, "Interrupted"},
    {"not_found", Tone::bad, "Not started: command not found"},
    {"not_executable", Tone::bad, "Not started: not executable"},
    {"setup_error", Tone::bad, "Not started: the sandbox could not be set up"},
    {"internal_error", Tone::bad, "Failed: an error of sbx itself"},
}};

}  // namespace

Verdict verdict_of(const Facts& facts) {
  for (const Words& entry : kStatuses) {
    if (entry.status != facts.status) continue;
    Verdict out{entry.tone, std::string(entry.words)};
    if (facts.status == "nonzero" && facts.exit_code)
      out.words += ": exit code " + std::to_string(*facts.exit_code);
    if (facts.status == "signal" && facts.signal)
      out.words = "Killed by signal " + signal_text(*facts.signal);
    return out;
  }
  return {Tone::unknown, facts.status.empty() ? "No status" : attribute(facts.status, 60)};
}

const char* name_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::stopped:
      return "stopped";
    case Tone::unknown:
      break;
  }
  return "unknown";
}

const char* sign_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "\u2713";  // check mark
    case Tone::bad:
      return "\u2715";  // multiplication x
    case Tone::stopped:
      return "\u25a0";  // black square
    case Tone::unknown:
      break;
  }
  return "?";
}

std::string signal_text(std::int64_t signal) {
  std::string out = std::to_string(signal);
  if (signal < 1 || signal > INT_MAX) return out;
  const char* name = sigabbrev_np(static_cast<int>(signal));
  if (name != nullptr) out += std::string(" (SIG") + name + ")";
  return out;
}

}  // namespace sbx::report
