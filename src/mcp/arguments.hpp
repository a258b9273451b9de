// The arguments of a tool's call, read strictly: a wrong type, a name that the tool does not know,
// a NUL byte. The first mistake is kept, in words for the model that made it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/message.hpp"

namespace sbx::mcp {

class Arguments {
 public:
  /// `given`: an object. It stays the caller's.
  explicit Arguments(const Json& given) : given_(given) {}

  std::string needed_text(const char* name);
  std::optional<std::string> text(const char* name);
  /// A text that may have NUL characters: it is no name and no argument.
  std::optional<std::string> content(const char* name);
  std::optional<std::uint64_t> number(const char* name, std::uint64_t least, std::uint64_t most);
  std::optional<bool> flag(const char* name);
  /// Empty: there are none.
  std::vector<std::string> texts(const char* name);
  std::map<std::string, std::string> text_map(const char* name);

  /// Call it last: what has not been asked for is not known. nullopt: all is right.
  [[nodiscard]] std::optional<std::string> mistake();
  void add_mistake(std::string text);

 private:
  const Json* find(const char* name);
  bool is_text(const char* name, const Json& value, const char* wanted = "a text");

  const Json& given_;
  std::set<std::string, std::less<>> known_{};
  std::optional<std::string> mistake_{};
};

}  // namespace sbx::mcp
