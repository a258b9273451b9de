#include "supervise/redaction.hpp"

#include <string.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "protocol/dns_name.hpp"

namespace sbx::supervise {
namespace {

/// A copy of the value for as long as the matcher is made.
struct Needles {
  Needles() = default;
  Needles(const Needles&) = delete;
  Needles& operator=(const Needles&) = delete;
  ~Needles() {
    for (redact::Needle& needle : list) ::explicit_bzero(needle.value.data(), needle.value.size());
  }

  void add(const std::string& name, std::string_view value, const plan::Plan& plan) {
    list.push_back({name, std::string(value)});
    // Whoever asks the DNS inside for it has it told in another form.
    if (!plan.egress || value.size() > protocol::kMostNameBytes) return;
    std::string shown = protocol::shown_in_names(value);
    if (shown != value) list.push_back({name, shown});
    ::explicit_bzero(shown.data(), shown.size());
  }
  std::vector<redact::Needle> list;
};

/// One by one: names that the kernel cuts, and paths of which folders are made.
void redact_observations(const Redactor& redactor, Observations& seen) {
  for (NeededCall& needed : seen.needed) needed.comm = redacted(redactor, needed.comm);
  std::map<std::string, SeenPath> paths;
  for (auto& [path, how] : seen.paths) {
    how.comm = redacted(redactor, how.comm);
    paths.emplace(redacted(redactor, path), std::move(how));
  }
  seen.paths = std::move(paths);
}

}  // namespace

Result<Redactor> make_redactor(const plan::Plan& plan, std::span<const os::SecretMemory> values) {
  if (!plan.supervision.redacts) return Redactor{};
  Needles needles;
  for (std::size_t i = 0; i < std::min(values.size(), plan.secrets.size()); ++i)
    if (plan.secrets[i].redact) needles.add(plan.secrets[i].name, values[i].value(), plan);
  return redact::build_matcher(needles.list, plan.supervision.redact_patterns);
}

std::string redacted(const Redactor& redactor, std::string_view text) {
  if (redactor == nullptr) return std::string(text);
  redact::Counts ignored;  // counted is what the command has written
  return redact::redact_text(*redactor, text, ignored);
}

std::string redacted_part(const Redactor& redactor, std::string_view text, std::size_t from,
                          std::size_t to) {
  if (redactor == nullptr) return std::string(text.substr(from, to - from));
  return redact::redact_part(*redactor, text, from, to);
}

std::vector<std::string> redacted(const Redactor& redactor, const std::vector<std::string>& texts) {
  std::vector<std::string> clean;
  clean.reserve(texts.size());
  for (const std::string& text : texts) clean.push_back(redacted(redactor, text));
  return clean;
}

std::string leaked_names(const redact::Counts& counts) {
  std::vector<std::string> names;
  names.reserve(counts.size());
  for (const auto& [name, count] : counts) names.push_back(name);
  return join(names, ", ");
}

void redact_words(Outcome& outcome) {
  const Redactor& redactor = outcome.redactor;
  if (redactor == nullptr) return;
  const auto mask = [&redactor](std::string& text) { text = redacted(redactor, text); };
  for (std::string* const text :
       {&outcome.reason.text, &outcome.reason.limit, &outcome.reason.observed})
    mask(*text);
  for (auto* const list : {&outcome.warnings, &outcome.undelivered, &outcome.notes})
    for (std::string& text : *list) mask(text);
  if (outcome.denials)
    for (Denial& denial : *outcome.denials) redact_denial(redactor, denial);
  redact_observations(redactor, outcome.observations);
  if (!outcome.error) return;
  for (std::string* const text :
       {&outcome.error->what, &outcome.error->where, &outcome.error->hint, &outcome.error->cause})
    mask(*text);
}

void redact_denial(const Redactor& redactor, Denial& denial) {
  denial.target = redacted(redactor, denial.target);
  denial.reason = redacted(redactor, denial.reason);
  denial.allow_with = redacted(redactor, denial.allow_with);
  if (denial.comm) denial.comm = redacted(redactor, *denial.comm);
}

void redact_strings(const Redactor& redactor, Json& json) {
  if (auto* const text = json.get_ptr<Json::string_t*>()) {
    *text = redacted(redactor, *text);
    return;
  }
  if (!json.is_structured()) return;
  for (Json& inner : json) redact_strings(redactor, inner);
}

}  // namespace sbx::supervise
