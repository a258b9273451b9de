// What a tool gives: content for the model to see, and the same as data that fits the tool's output
// schema. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "mcp/message.hpp"

namespace sbx::mcp {

struct Answer {
  Json content = Json::array();
  Json data{};  ///< null: none, as of a failure
  bool is_error = false;

  void add_text(std::string text);
  void add_image(std::string_view bytes, std::string_view media_type);
  void add_link(const Json& artifact);

  /// The result of tools/call, in the latest revision.
  [[nodiscard]] Json to_json() &&;
};

/// In words that a model can act on.
Answer failure(std::string text);
Answer failure(const Error& error);

/// `bytes` as "text", or as "base64".
void put_bytes(Json& into, std::string bytes);

/// "image/png" and what else models can see.
bool is_image(std::string_view media_type);

/// "sbx://artifact/SHA256/plot.png"
std::string artifact_uri(std::string_view sha256, std::string_view path);
/// The digest in such a URI; "": it is none.
std::string_view artifact_in(std::string_view uri);

}  // namespace sbx::mcp
