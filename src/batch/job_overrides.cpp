// `overrides`, a map in the profile's own form, becomes the YAML of a last layer. JSON is YAML, but
// for one thing: where a profile has 256M or none, JSON has them in quotes.
#include <algorithm>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "batch/job_parts.hpp"

namespace sbx::batch {
namespace {

bool is_word(std::string_view text) {
  const auto part = [](char c) {
    return is_alnum(c) || c == '.' || c == '_' || c == '-' || c == '/';
  };
  return !text.empty() && std::ranges::all_of(text, part) && std::ranges::any_of(text, is_letter);
}

/// Text that YAML would take for something else stays in quotes, as it was meant: "true", "1e3".
bool reads_as_other(std::string_view text) {
  const std::string lower = to_lower(text);
  return lower == "true" || lower == "false" || lower == "null" || lower.starts_with("0x") ||
         lower.starts_with("0o") || text.starts_with('-') || text.starts_with('.') ||
         lower.find_first_not_of("0123456789e+-._") == std::string_view::npos;
}

/// As JSON, but with the one byte escaped that JSON allows in text and YAML does not.
std::string in_quotes(const Json& value) {
  std::string out = value.dump();
  for (std::size_t at = 0; (at = out.find('\x7f', at)) != std::string::npos;)
    out.replace(at, 1, "\\u007f");
  return out;
}

std::string to_yaml(const Json& value) {
  std::string out;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return is_word(text) && !reads_as_other(text) ? text : in_quotes(value);
  }
  if (value.is_array()) {
    for (const Json& item : value) out += (out.empty() ? "[" : ", ") + to_yaml(item);
    return out.empty() ? "[]" : out + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, child] : value.items())
      out += (out.empty() ? "{" : ", ") + in_quotes(key) + ": " + to_yaml(child);
    return out.empty() ? "{}" : out + "}";
  }
  return value.dump();
}

}  // namespace

std::string kind_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "text";
  return value.is_array() ? "a list" : "an object";
}

void read_overrides(const Json& value, Job& job, Complaints& complaints) {
  if (!value.is_object())
    return complaints.add(
        "`overrides` must be an object in the form of a profile, not " + kind_of(value),
        R"(such as {"limits": {"memory": "256M"}})");
  for (const auto& [key, child] : value.items()) {
    // One more name, never a path: a job says {"limits": {"memory": ...}}.
    if (key.empty() || key.find_first_of(std::string_view(".\0", 2)) != std::string::npos)
      complaints.add("`overrides`: " + json_string(key) + " is no key of a profile",
                     "write the sections as objects: {\"limits\": {\"memory\": \"256M\"}}");
    else
      job.overrides.push_back({key, to_yaml(child), "overrides"});
  }
}

}  // namespace sbx::batch
