// The general part of decoding: scalars by the YAML 1.2 core schema (read strictly), lists and
// maps.
#include "profile/decode.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/meant.hpp"

namespace sbx::profile {
namespace {

/// -12, 0, 1.5: numbers that read the same in every dialect. Not 012, 0x1, 1e3, 1_000, +1, .5.
bool is_simple_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = dot == std::string_view::npos ? "0" : text.substr(dot + 1);
  return !whole.empty() && !fraction.empty() && (whole == "0" || whole.front() != '0') &&
         std::ranges::all_of(whole, is_digit) && std::ranges::all_of(fraction, is_digit);
}

/// Plain text that the core schema or YAML 1.1 reads as something else than text.
std::string_view describe_ambiguity(std::string_view text) {
  constexpr std::array<std::string_view, 6> kBooleans{"true",  "True",  "TRUE",
                                                      "false", "False", "FALSE"};
  if (std::ranges::find(kBooleans, text) != kBooleans.end()) return "true or false";
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits == ".inf" || digits == ".Inf" || digits == ".INF" || digits == ".nan" ||
      digits == ".NaN" || digits == ".NAN")
    return "a number";
  if (digits.empty() || (!is_digit(digits.front()) &&
                         !(digits.front() == '.' && digits.size() > 1 && is_digit(digits[1]))))
    return "";
  const bool octal =
      digits.front() == '0' && digits.size() > 1 && std::ranges::all_of(digits, is_digit);
  if (octal) return "a number, octal in one dialect and decimal in another";
  if (is_simple_number(text)) return "";
  if (digits.starts_with("0x") || digits.starts_with("0o")) {
    const auto hex = [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    return digits.size() > 2 && std::ranges::all_of(digits.substr(2), hex) ? "a number" : "";
  }
  double value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return end.ptr == digits.data() + digits.size() ? "a number" : "";
}

std::string keys_text(std::span<const Key> keys) {
  return "the keys here are " + join(names_of(keys), ", ");
}

/// What a single value in place of a map is likely to mean: the key that takes such a word.
std::string map_for(const std::string& word, std::span<const Key> keys) {
  const bool path = word == "." || word.contains('/');
  if (path && std::ranges::find(keys, "source", &Key::name) != keys.end())
    return "write {source: " + printable(word, 60) + "}";
  const auto takes = [&](const Key& key) {
    const auto* const choice = std::get_if<ChoiceSlot>(&key.slot);
    return choice != nullptr && std::ranges::find(choice->words, word) != choice->words.end();
  };
  const auto key = std::ranges::find_if(keys, takes);
  if (key == keys.end()) return keys_text(keys);
  return "write {" + std::string(key->name) + ": " + word + "}";
}

}  // namespace

Decoder::Scope::Scope(Decoder& decoder, std::string_view step, const Node& node)
    : decoder_(decoder), size_(decoder.path_.size()) {
  if (decoder.path_.empty() && step.starts_with('.')) step.remove_prefix(1);
  decoder.path_ += step;
  decoder.profile_.origins.emplace(decoder.path_,
                                   node.kind == NodeKind::scalar ? node.at : node.place());
}

void Decoder::complain(const Node& node, std::string what, std::string hint) {
  findings_.add(node.kind == NodeKind::scalar ? node.at : node.place(), std::move(what),
                std::move(hint));
}

void Decoder::complain_form(const Node& node, std::string_view form, std::string hint) {
  std::string not_this(describe_kind(node));
  if (node.kind == NodeKind::scalar)
    not_this = node.text.empty() ? "empty text" : '`' + printable(node.text, 40) + '`';
  complain(node, subject() + " must be " + std::string(form) + ", not " + not_this,
           std::move(hint));
}

bool Decoder::is_no_number(const Node& node) {
  const auto numeric = [](char c) { return is_digit(c) || c == '.'; };
  return node.kind != NodeKind::scalar || node.text.empty() || !numeric(node.text.front());
}

std::string Decoder::subject() const { return '`' + printable(path_, 80) + '`'; }

const std::string& Decoder::folder_of(const Node& node) const {
  static const std::string none;
  const auto found = folders_.find(node.at.file);
  return found == folders_.end() ? none : found->second;
}

bool Decoder::is_word(const Node& node, std::string_view word) {
  return node.kind == NodeKind::scalar && node.text == word;
}

bool Decoder::want_list(const Node& node) {
  if (node.kind == NodeKind::list) return true;
  std::string hint = node.kind == NodeKind::null ? "write [] for an empty one" : "";
  if (node.kind == NodeKind::map)
    hint = "put it in brackets, or its entries on lines that begin with -";
  if (node.kind == NodeKind::scalar) {
    const std::string text = printable(node.text, 60);
    hint = "write [" + (node.quoted ? '"' + text + '"' : text) + "]";
    if (text == "none" || text == "false") hint = "write [] for an empty one";
    if (path_ == "command") hint = "write [PROGRAM, ARGUMENT...]";
    findings_.excuse(node.at);  // where the checks look for the list
  }
  findings_.add(node.place(),
                subject() + " must be a list, not " + std::string(describe_kind(node)),
                std::move(hint));
  return false;
}

bool Decoder::want_map(const Node& node, std::span<const Key> keys) {
  if (node.kind == NodeKind::map) return true;
  std::string hint;
  if (node.kind == NodeKind::null) hint = "remove the key, or write {} for an empty map";
  if (node.kind == NodeKind::scalar && !keys.empty()) hint = map_for(node.text, keys);
  if (node.kind == NodeKind::list)
    hint = keys.empty() ? "its entries have names: {NAME: ...}" : keys_text(keys);
  findings_.add(node.place(), subject() + " must be a map, not " + std::string(describe_kind(node)),
                std::move(hint));
  return false;
}

bool Decoder::read_text(const Node& node, std::string& out) {
  if (node.kind != NodeKind::scalar) {
    findings_.add(node.place(),
                  subject() + " must be text, not " + std::string(describe_kind(node)),
                  node.kind == NodeKind::null
                      ? "take it out, or put it in quotes: \"null\" is a word, \"\" is empty text"
                      : "");
    return false;
  }
  if (!node.quoted && !node.filled) {
    const std::string_view other = describe_ambiguity(node.text);
    if (!other.empty()) {
      complain(
          node,
          subject() + ": YAML reads `" + printable(node.text, 40) + "` as " + std::string(other),
          "put it in quotes: \"" + printable(node.text, 40) + "\"");
      return false;
    }
  }
  out = node.text;
  return true;
}

bool Decoder::read_count(const Node& node, std::uint64_t& out, std::uint64_t most) {
  const bool plain = node.kind == NodeKind::scalar && !node.quoted;
  const std::string_view text = node.text;
  if (!plain || text.empty() || !std::ranges::all_of(text, is_digit) ||
      (text.front() == '0' && text.size() > 1)) {
    const bool number =
        node.kind == NodeKind::scalar && std::ranges::all_of(text, is_digit) && !text.empty();
    findings_.add(
        node.kind == NodeKind::scalar ? node.at : node.place(),
        subject() + " must be a whole number, not " +
            (node.kind == NodeKind::scalar
                 ? (node.quoted ? "text" : '`' + printable(text, 40) + '`')
                 : std::string(describe_kind(node))),
        number ? (node.quoted ? "remove the quotes" : "write it without leading zeros") : "");
    return false;
  }
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || value > most) {
    complain(node, subject() + " must be at most " + std::to_string(most));
    return false;
  }
  out = value;
  return true;
}

bool Decoder::read_size(const Node& node, Bytes& out, std::string_view form) {
  if (is_no_number(node)) {
    complain_form(node, form);
    return false;
  }
  const Parsed<std::uint64_t> value = parse_bytes(node.text);
  if (value) {
    out = *value;
  } else {
    const Parsed<std::uint64_t> rate = parse_rate(node.text);
    const std::string size = node.text.substr(0, node.text.find('/'));
    if (rate)
      complain(node, subject() +
                         (path_.ends_with("_bps") ? " is bytes a second already" : " is no rate") +
                         ": write " + size + ", not `" + node.text + '`');
    else
      complain(node, subject() + ": " + value.error());
  }
  return value.has_value();
}

void Decoder::read_map(const Node& node, std::span<const Key> keys) {
  if (!path_.empty() && !want_map(node, keys)) return;
  for (const Node& child : node.children) {
    const auto key = std::ranges::find(keys, child.key, &Key::name);
    if (key != keys.end()) {
      const Scope scope(*this, '.' + child.key, child);
      read_slot(child, key->slot);
      continue;
    }
    std::string hint = find_habit(path_, child.key);
    const std::string meant = hint.empty() ? find_meant(child.key, keys, path_.empty()) : "";
    if (hint.empty() && meant.empty()) hint = keys_text(keys);
    findings_.add(child.key_at,
                  "unknown key `" + printable(child.key, 60) + '`' +
                      (path_.empty() ? "" : " in " + subject()) +
                      (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
                  std::move(hint));
  }
}

std::string clean_path(std::string_view path) {
  std::string out = path.starts_with('/') ? "/" : "";
  for (const std::string_view step : split(path, '/')) {
    if (step.empty() || step == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += step;
  }
  return out.empty() ? "." : out;
}

std::string resolve_path(const std::string& folder, const std::string& path) {
  if (path.starts_with('/') || folder.empty()) return clean_path(path);
  return clean_path(folder + '/' + path);
}

}  // namespace sbx::profile
