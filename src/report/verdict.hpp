// A run's status in words, with a sign and a tone: colour is never the only thing that tells. Pure.
#pragma once

#include <string>

#include "report/facts.hpp"

namespace sbx::report {

enum class Tone { good, bad, stopped, unknown };

struct Verdict {
  Tone tone = Tone::unknown;
  std::string words{};  ///< "Failed: exit code 3"; HTML without elements
};

Verdict verdict_of(const Facts& facts);

/// "good": what a stylesheet calls it.
const char* name_of(Tone tone);
/// A sign of its own for each tone.
const char* sign_of(Tone tone);

/// "11 (SIGSEGV)"
std::string signal_text(std::int64_t signal);

}  // namespace sbx::report
