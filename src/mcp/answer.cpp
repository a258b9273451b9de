#include "mcp/answer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/text.hpp"

namespace sbx::mcp {
namespace {

constexpr std::string_view kScheme = "sbx://artifact/";
constexpr std::size_t kDigest = 64;

/// RFC 3986: what need not be escaped in a path.
bool is_plain(char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

std::string escaped(std::string_view name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    if (is_plain(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

}  // namespace

void Answer::add_text(std::string text) {
  content.push_back({{"type", "text"}, {"text", std::move(text)}});
}

void Answer::add_image(std::string_view bytes, std::string_view media_type) {
  content.push_back({{"type", "image"}, {"data", to_base64(bytes)}, {"mimeType", media_type}});
}

void Answer::add_link(const Json& artifact) {
  content.push_back({{"type", "resource_link"},
                     {"uri", artifact["uri"]},
                     {"name", artifact["path"]},
                     {"mimeType", artifact["media_type"]},
                     {"size", artifact["bytes"]}});
}

Json Answer::to_json() && {
  Json result{{"content", std::move(content)}};
  if (!data.is_null()) result["structuredContent"] = std::move(data);
  result["isError"] = is_error;
  return result;
}

Answer failure(std::string text) {
  Answer answer;
  answer.is_error = true;
  answer.add_text(std::move(text));
  return answer;
}

Answer failure(const Error& error) { return failure(error.to_line()); }

void put_bytes(Json& into, std::string bytes) {
  if (is_utf8(bytes))
    into["text"] = std::move(bytes);
  else
    into["base64"] = to_base64(bytes);
}

bool is_image(std::string_view media_type) {
  constexpr std::array<std::string_view, 4> kSeen{"image/png", "image/jpeg", "image/gif",
                                                  "image/webp"};
  return std::ranges::find(kSeen, media_type) != kSeen.end();
}

std::string artifact_uri(std::string_view sha256, std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::string(kScheme) + std::string(sha256) + "/" + escaped(name);
}

std::string_view artifact_in(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return {};
  uri.remove_prefix(kScheme.size());
  const std::string_view digest = uri.substr(0, kDigest);
  if (digest.size() < kDigest || (uri.size() > kDigest && uri[kDigest] != '/')) return {};
  return digest;
}

}  // namespace sbx::mcp
