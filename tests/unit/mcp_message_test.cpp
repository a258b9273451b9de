#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "mcp/message.hpp"

using namespace sbx::mcp;

namespace {

int code_of(const std::string& line) {
  const auto document = read_document(line);
  if (!document) return static_cast<int>(document.error().why.code);
  const auto message = read_message(*document);
  const auto* const wrong = std::get_if<Malformed>(&message);
  return wrong == nullptr ? 0 : static_cast<int>(wrong->why.code);
}

}  // namespace

TEST_CASE("requests, notifications and replies are told apart") {
  const auto read = [](const char* text) { return read_message(*read_document(text)); };
  const auto request = read(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  REQUIRE(std::holds_alternative<Request>(request));
  CHECK(std::get<Request>(request).id == "a");
  CHECK(std::get<Request>(request).params["x"] == 1);
  const auto notice = read(R"({"jsonrpc":"2.0","method":"m"})");
  REQUIRE(std::holds_alternative<Request>(notice));
  CHECK(std::get<Request>(notice).is_notification());
  CHECK(std::get<Request>(notice).params.is_object());
  CHECK(std::holds_alternative<Reply>(read(R"({"jsonrpc":"2.0","id":1,"result":{}})")));
}

TEST_CASE("what is malformed has the code that JSON-RPC gives it") {
  CHECK(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m"})") == 0);
  CHECK(code_of("{") == -32700);
  CHECK(code_of("") == -32700);
  CHECK(code_of("\xff") == -32700);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m"})" + std::string("\0x", 2)) == -32700);
  CHECK(code_of("[]") == -32600);
  CHECK(code_of(R"({"id":1,"method":"m"})") == -32600);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":null,"method":"m"})") == -32600);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})") == -32600);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})") == -32602);
}

TEST_CASE("a key that stands twice is refused, and who waits for the answer gets it") {
  const auto refused = [](const std::string& line) {
    const auto document = read_document(line);
    REQUIRE_FALSE(document);
    CHECK(document.error().why.code == Code::invalid_request);
    return std::pair(document.error().id, document.error().why.text);
  };
  const auto [id, text] =
      refused(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"a":1}})");
  CHECK(id == 7);
  CHECK(text == "the key \"a\" stands twice in one object");
  CHECK(refused(R"({"jsonrpc":"2.0","id":7,"method":"m","id":8})").first == nullptr);
  CHECK(refused(R"({"jsonrpc":"2.0","id":[],"method":"m","method":"n"})").first == nullptr);
  CHECK(refused(R"([{"jsonrpc":"2.0","id":7,"method":"m","method":"n"}])").first == nullptr);
  const std::string name = '"' + std::string(200, 'x') + "\":1";
  CHECK(refused("{" + name + "," + name + "}").second ==
        "the key of 200 bytes stands twice in one object");
  CHECK(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"a":1},"b":{"a":1}}})") ==
        0);
}

TEST_CASE("half of a surrogate pair is no character, and who waits for the answer gets it") {
  const auto id_of = [](const std::string& text, int code) {
    const auto document =
        read_document(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":")" + text + "\"}}");
    REQUIRE_FALSE(document);
    CHECK(static_cast<int>(document.error().why.code) == code);
    return document.error().id;
  };
  for (const char* half : {R"(\ud83d)", R"(\uDE00)", R"(x\ud83dx)", R"(\ud83d\n)",
                           R"(\ud83d\ud83d\ude00)", R"(\ude00\ud83d)", R"(\\\ud83d)"})
    CHECK(id_of(half, -32600) == 7);
  CHECK(id_of(R"(\ud83)", -32700) == nullptr);
  CHECK(id_of(R"(\ud83d\x)", -32700) == nullptr);
  CHECK(id_of(R"(\)", -32700) == nullptr);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":7,"method":"\ud83d\ude00 \\ud83d"})") == 0);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":7,"id":8,"method":"\ud83d"})") == -32600);
}

TEST_CASE("a document is moderate, or no parser sees it") {
  CHECK(code_of(std::string(65, '[') + std::string(65, ']')) == -32600);
  CHECK(code_of(std::string(1 << 20, '[')) == -32600);
  std::string many = "[0";
  for (int i = 0; i < 100'001; ++i) many += ",0";
  CHECK(code_of(many + "]") == -32600);
  // Names of an object are compared with each other; a list may be longer, and so may be the
  // objects of a list together.
  const auto object = [](int members) {
    std::string text = R"({"jsonrpc":"2.0","method":"m")";
    for (int i = 2; i < members; ++i) text += ",\"" + std::to_string(i) + "\":[]";
    return text + "}";
  };
  CHECK(code_of(object(1000)) == 0);
  CHECK(code_of(object(1001)) == -32600);
  CHECK(code_of(object(90'000)) == -32600);
  std::string list = object(900);
  for (int i = 0; i < 20; ++i) list += "," + object(900);
  CHECK(read_document("[" + list + "]").has_value());
  // In a text they are no structure, escaped quotes or not.
  const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\")" +
                           std::string(200'000, ',') + std::string(100, '[') + R"("}})";
  CHECK(code_of(text) == 0);
}

TEST_CASE("messages are one line each, whatever is in them") {
  const Json odd{{"text", std::string("a\nb\xff\0c", 6)}};
  const std::string line = line_of(result_of("x", odd));
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(Json::parse(line)["result"]["text"] == std::string("a\nb\uFFFD\0c", 8));
  const Json error = error_of(nullptr, {Code::parse_error, "no"});
  CHECK(error["id"].is_null());
  CHECK(error["error"]["code"] == -32700);
  CHECK_FALSE(error["error"].contains("data"));
}
