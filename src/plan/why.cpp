#include "plan/why.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/why_parts.hpp"

namespace sbx::plan {
namespace {

constexpr const char* kForms = "ask for path:/x, host:NAME:PORT, syscall:NAME or env:NAME";

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::allowed:
      return "allowed";
    case Verdict::partly:
      return "partly";
    case Verdict::denied:
      return "denied";
  }
  return "";
}

std::string written_where(const Answer& answer) {
  if (answer.key.empty())
    return answer.verdict != Verdict::allowed && answer.allow_with.empty()
               ? "sbx itself: no line of a profile changes it"
               : "sbx itself";
  if (answer.origin.file.empty()) return "the default of " + answer.key;
  return answer.key + " [" + answer.origin.to_string() + "]";
}

std::string string_or_null(const std::string& text) {
  return text.empty() ? "null" : json_string(text);
}

}  // namespace

Answer Asked::decided_by(std::string_view key) const {
  Answer answer;
  answer.key = key;
  answer.origin = origin_of(profile, key);
  // A flag for another key of the same map has not decided it.
  if (answer.origin.line == 0 && !profile.origins.contains(key)) answer.origin = {};
  return answer;
}

std::unexpected<Error> bad_question(std::string what, std::string hint) {
  return std::unexpected(Error{ErrorKind::usage, std::move(what), "--why", std::move(hint)});
}

std::string yaml_word(std::string_view text) {
  const bool safe = std::ranges::all_of(
      text, [](char c) { return is_alnum(c) || std::string_view("/._-+@").contains(c); });
  // What YAML would take for no text.
  constexpr std::array<std::string_view, 10> kValues{"",     "null", "Null",  "NULL",  "true",
                                                     "True", "TRUE", "false", "False", "FALSE"};
  const bool value = std::ranges::find(kValues, text) != kValues.end();
  if (safe && !value && text.front() != '@' && text.front() != '-') return std::string(text);
  std::string quoted = json_string(text);
  for (std::size_t at = 0; (at = quoted.find("${", at)) != std::string::npos; at += 3)
    quoted.insert(at, 1, '$');  // a literal one: nothing is put in for it
  return quoted;
}

Result<Answer> why(const profile::Profile& profile, const Plan& plan, std::string_view question,
                   const Host& host) {
  struct Kind {
    std::string_view name;
    Result<Answer> (*answer)(const Asked&, std::string_view);
  };
  constexpr std::array kKinds{Kind{"path", why_path}, Kind{"host", why_host},
                              Kind{"syscall", why_call}, Kind{"env", why_variable}};
  const std::size_t colon = question.find(':');
  const auto* const kind = std::ranges::find(kKinds, question.substr(0, colon), &Kind::name);
  if (colon == std::string_view::npos || kind == kKinds.end() || colon + 1 == question.size())
    return bad_question(quote(question) + " is no question", kForms);
  const std::string_view subject = question.substr(colon + 1);
  Answer answer = SBX_TRY(kind->answer({profile, plan, host}, subject));
  answer.question = question;
  return answer;
}

std::string answer_text(const Answer& answer) {
  std::string text = printable(answer.question) + ": " + std::string(verdict_name(answer.verdict)) +
                     "\n  " + answer.what + "\n  because: " + answer.because +
                     "\n  decided by: " + written_where(answer) + "\n";
  if (!answer.allow_with.empty()) text += "  to allow it: " + answer.allow_with + "\n";
  if (!answer.hint.empty()) text += "  hint: " + answer.hint + "\n";
  return text;
}

std::string answer_json(const Answer& answer) {
  return "{\"schema\":\"sbx.why/1\",\"question\":" + json_string(answer.question) +
         ",\"verdict\":" + json_string(verdict_name(answer.verdict)) +
         ",\"text\":" + json_string(answer.what) + ",\"reason\":" + json_string(answer.because) +
         ",\"key\":" + string_or_null(answer.key) + ",\"origin\":" +
         (answer.origin.file.empty() ? "null" : json_string(answer.origin.to_string())) +
         ",\"allow_with\":" + string_or_null(answer.allow_with) +
         ",\"hint\":" + string_or_null(answer.hint) + "}";
}

}  // namespace sbx::plan
