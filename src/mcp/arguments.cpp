#include "mcp/arguments.hpp"

#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace sbx::mcp {
namespace {

/// As JSON Schema has it, to which 2.0 is an integer, too: there are languages with one kind of
/// number. nullopt: it is none, or no size.
std::optional<std::uint64_t> whole_number(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_number()) return std::nullopt;
  const auto given = value.get<double>();
  if (given < 0 || given >= 0x1p64 || std::trunc(given) != given) return std::nullopt;
  return static_cast<std::uint64_t>(given);
}

}  // namespace

void Arguments::add_mistake(std::string text) {
  if (!mistake_) mistake_ = std::move(text);
}

const Json* Arguments::find(const char* name) {
  known_.insert(name);
  const auto found = given_.find(name);
  return found == given_.end() || found->is_null() ? nullptr : &*found;
}

bool Arguments::is_text(const char* name, const Json& value, const char* wanted) {
  if (!value.is_string())
    add_mistake("`" + std::string(name) + "` has to be " + wanted);
  else if (value.get_ref<const std::string&>().find('\0') != std::string::npos)
    add_mistake("`" + std::string(name) + "` has a NUL character");
  else
    return true;
  return false;
}

std::string Arguments::needed_text(const char* name) {
  auto value = text(name);
  if (!value) add_mistake("`" + std::string(name) + "` is missing");
  return value.value_or("");
}

std::optional<std::string> Arguments::text(const char* name) {
  const Json* const value = find(name);
  if (value == nullptr || !is_text(name, *value)) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::string> Arguments::content(const char* name) {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  add_mistake("`" + std::string(name) + "` has to be a text");
  return std::nullopt;
}

std::optional<std::uint64_t> Arguments::number(const char* name, std::uint64_t least,
                                               std::uint64_t most) {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto given = whole_number(*value);
  if (given && *given >= least && *given <= most) return given;
  add_mistake("`" + std::string(name) + "` has to be a whole number from " + std::to_string(least) +
              " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<bool> Arguments::flag(const char* name) {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  add_mistake("`" + std::string(name) + "` has to be true or false");
  return std::nullopt;
}

std::vector<std::string> Arguments::texts(const char* name) {
  const Json* const value = find(name);
  std::vector<std::string> out;
  constexpr const char* kWanted = "a list of texts";
  if (value == nullptr) return out;
  if (!value->is_array()) {
    add_mistake("`" + std::string(name) + "` has to be " + kWanted);
    return out;
  }
  for (const Json& one : *value)
    if (is_text(name, one, kWanted)) out.push_back(one.get<std::string>());
  return out;
}

std::map<std::string, std::string> Arguments::text_map(const char* name) {
  const Json* const value = find(name);
  std::map<std::string, std::string> out;
  constexpr const char* kWanted = "an object of texts";
  if (value == nullptr) return out;
  if (!value->is_object()) {
    add_mistake("`" + std::string(name) + "` has to be " + kWanted);
    return out;
  }
  for (const auto& [key, one] : value->items())
    if (is_text(name, one, kWanted)) out.emplace(key, one.get<std::string>());
  return out;
}

std::optional<std::string> Arguments::mistake() {
  for (const auto& [name, value] : given_.items()) {
    if (known_.contains(name)) continue;
    std::string text = "there is no argument " + quote(name);
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    const std::string_view near = nearest_name(name, names);
    if (!near.empty()) text += "; did you mean `" + std::string(near) + "`?";
    return text;  // before what is missing: it may be missing under this name
  }
  return mistake_;
}

}  // namespace sbx::mcp
