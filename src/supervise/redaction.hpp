// What of a run's secrets is masked, besides its output: every text that the payload or the caller
// has made and that is told to somebody. The output itself goes through StreamMeter.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/secret_memory.hpp"
#include "plan/plan.hpp"
#include "supervise/json_figures.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// null: this plan looks for nothing. `values`: by Plan::secrets; none when they were never read.
Result<Redactor> make_redactor(const plan::Plan& plan, std::span<const os::SecretMemory> values);

/// `text` with masks in place of secrets; as it is without a redactor.
std::string redacted(const Redactor& redactor, std::string_view text);
/// The same of its bytes [from, to) alone: what they cut in two is masked as well.
std::string redacted_part(const Redactor& redactor, std::string_view text, std::size_t from,
                          std::size_t to);
std::vector<std::string> redacted(const Redactor& redactor, const std::vector<std::string>& texts);

/// "k, github": what was found.
std::string leaked_names(const redact::Counts& counts);

/// All words about the run that are told to people, or logged.
void redact_words(Outcome& outcome);

void redact_denial(const Redactor& redactor, Denial& denial);

/// Every text in it, however deep.
void redact_strings(const Redactor& redactor, Json& json);

}  // namespace sbx::supervise
