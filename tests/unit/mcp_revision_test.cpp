#include <doctest/doctest.h>

#include "mcp/answer.hpp"
#include "mcp/revision.hpp"
#include "mcp/tool_table.hpp"

using namespace sbx::mcp;

TEST_CASE("a handshake agrees on what both have") {
  CHECK(negotiate("2024-11-05") == Revision::r2024_11_05);
  CHECK(negotiate("2025-06-18") == Revision::r2025_06_18);
  for (const char* const other : {"2026-07-28", "2024-10-07", "", "1.0"})
    CHECK(negotiate(other) == Revision::r2025_11_25);
}

TEST_CASE("a request that names its revision has to say all of it") {
  const auto of = [](const char* meta) { return revision_of({{"_meta", Json::parse(meta)}}); };
  CHECK_FALSE(revision_of(Json::object())->has_value());
  CHECK_FALSE(of(R"({"progressToken":1})")->has_value());
  const char* const whole = R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                "io.modelcontextprotocol/clientCapabilities":{}})";
  CHECK(**of(whole) == Revision::r2026_07_28);
  CHECK(of(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})").error().code ==
        Code::invalid_params);
  CHECK(of(R"({"io.modelcontextprotocol/protocolVersion":7})").error().code ==
        Code::invalid_params);
  const auto unknown = of(R"({"io.modelcontextprotocol/protocolVersion":"2025-11-25"})");
  CHECK(unknown.error().code == Code::unsupported_version);
  CHECK(unknown.error().data["requested"] == "2025-11-25");
  CHECK(of("[]").error().code == Code::invalid_params);
}

TEST_CASE("every schema is JSON, and what a tool needs it knows") {
  const Offer offer{{Runner::command, Runner::python, Runner::node, Runner::shell}};
  const Json tools = tool_list(offer, "none");
  CHECK(tools.size() == 10);
  for (const Json& tool : tools)
    for (const Json& needed : tool["inputSchema"]["required"])
      CHECK(tool["inputSchema"]["properties"].contains(needed.get<std::string>()));
  CHECK(tool_list({{Runner::command}}, "").size() == 7);
}

TEST_CASE("an older client gets nothing that it does not know") {
  Answer answer;
  answer.add_link(
      {{"uri", "sbx://artifact/x"}, {"path", "/w/p"}, {"media_type", "a/b"}, {"bytes", 1}});
  answer.data = Json{{"a", 1}};
  const Json result = std::move(answer).to_json();
  const Json old = call_result_for(Revision::r2025_03_26, result);
  CHECK_FALSE(old.contains("structuredContent"));
  CHECK(old["content"][0]["type"] == "text");
  CHECK(old["content"][0]["text"] == "/w/p: sbx://artifact/x");
  CHECK(call_result_for(Revision::r2025_06_18, result) == result);
  CHECK(stamp(Revision::r2025_11_25, result, "1", true, true) == result);
  CHECK(stamp(Revision::r2026_07_28, result, "1", false, false)["resultType"] == "complete");
}

TEST_CASE("the URI of an artifact leads back to it") {
  const std::string digest(64, 'a');
  const std::string uri = artifact_uri(digest, "/workspace/out/a b%/\u00e9.png");
  CHECK(uri == "sbx://artifact/" + digest + "/%C3%A9.png");
  CHECK(artifact_in(uri) == digest);
  CHECK(artifact_in("sbx://artifact/" + digest) == digest);
  for (const std::string& wrong :
       {std::string("file:///etc/passwd"), std::string("sbx://artifact/abc"),
        "sbx://artifact/" + digest + "b/x", std::string()})
    CHECK(artifact_in(wrong).empty());
}
