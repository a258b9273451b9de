#include "batch/journal.hpp"

#include <cstdio>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "batch/strict_json.hpp"

namespace sbx::batch {
namespace {

constexpr std::size_t kDigits = 16;  // of one half of a digest
constexpr std::string_view kLineBegin = "{\"job\":";

std::optional<Digest> parse_digest(std::string_view digits) {
  if (digits.size() != 2 * kDigits) return std::nullopt;
  const auto high = parse_number<std::uint64_t>(digits.substr(0, kDigits), 16);
  const auto low = parse_number<std::uint64_t>(digits.substr(kDigits), 16);
  if (!high || !low) return std::nullopt;
  return Digest{*high, *low};
}

std::string to_hex(const Digest& digest) {
  char digits[2 * kDigits + 1];
  (void)std::snprintf(digits, sizeof digits, "%016llx%016llx",
                      static_cast<unsigned long long>(digest.high),
                      static_cast<unsigned long long>(digest.low));
  return digits;
}

/// Takes five things out of a line that may hold megabytes of output, and keeps none of the rest.
class Reader {
 public:
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t) { return true; }
  bool number_unsigned(std::uint64_t) { return true; }
  bool number_float(double, const std::string&) { return true; }
  bool binary(nlohmann::json::binary_t&) { return true; }
  bool string(std::string& text) {
    if (depth_ == 1 && key_ == "job") id = text;
    if (depth_ == 1 && key_ == "sha256") digest = parse_digest(text);
    if (depth_ == 2 && in_result_ && key_ == "status") status = text;
    if (depth_ == 3 && in_result_ && in_profile_ && key_ == "sha256") profile = text;
    if (depth_ == 3 && in_result_ && in_undelivered_) undelivered = true;
    return true;
  }
  bool start_object(std::size_t) {
    if (depth_ == 1) in_result_ = key_ == "result";
    if (depth_ == 2) in_profile_ = key_ == "profile";
    if (depth_ == 2) in_undelivered_ = false;
    return open();
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) {
    if (depth_ == 1) in_result_ = false;
    if (depth_ == 2) in_profile_ = false;
    if (depth_ == 2) in_undelivered_ = key_ == "undelivered";
    return open();
  }
  bool end_array() { return close(); }
  bool key(std::string& text) {
    if (depth_ <= 3) key_ = text;
    return true;
  }
  static bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    return false;
  }

  std::optional<std::string> id;
  std::optional<Digest> digest;
  std::optional<std::string> status;
  std::string profile;
  bool undelivered = false;

 private:
  bool open() { return ++depth_ <= kDeepestJson; }
  bool close() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
  bool in_result_ = false;
  bool in_profile_ = false;
  bool in_undelivered_ = false;
  std::string key_;
};

}  // namespace

Digest digest_of(std::string_view text) {
  return parse_digest(std::string_view(sha256_hex(text)).substr(0, 2 * kDigits)).value_or(Digest{});
}

std::string line_head(const std::string& id, std::size_t line, const Digest& digest,
                      std::size_t attempts) {
  return std::string(kLineBegin) + json_string(id) + ",\"line\":" + std::to_string(line) +
         ",\"sha256\":\"" + to_hex(digest) + "\",\"attempts\":" + std::to_string(attempts) +
         ",\"result\":";
}

bool begins_line(std::string_view text) {
  return text.substr(0, kLineBegin.size()) == kLineBegin.substr(0, text.size());
}

Result<Written> read_line(std::string_view line) {
  Reader reader;
  // To the library a NUL is the end, whatever comes after it.
  const bool whole = line.find('\0') == std::string_view::npos &&
                     nlohmann::json::sax_parse(line.begin(), line.end(), &reader);
  if (!whole || !reader.id || !reader.digest || !reader.status)
    return std::unexpected(Error{ErrorKind::usage, "this is no line that `sbx batch` has written"});
  return Written{*std::move(reader.id), *reader.digest, *std::move(reader.status),
                 std::move(reader.profile), reader.undelivered};
}

}  // namespace sbx::batch
