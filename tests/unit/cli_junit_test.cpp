// The XML of `sbx run --junit`.
#include <doctest/doctest.h>

#include <string>

#include "cli/junit.hpp"

using sbx::cli::junit_of;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string result(const std::string& status, const std::string& more = "") {
  return R"({"schema":"sbx.result/1","id":"r1","profile":{"name":"python"},"argv":["sh","-c","a b"],)"
         R"("status":")" +
         status + R"(","reason":{"text":"why <so>"},"wall_ms":1234.5,"exit_code":3)" + more + "}";
}

}  // namespace

TEST_CASE("a run that is well is a test that passes") {
  const std::string xml = junit_of(result("ok"));
  CHECK(
      xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"1\" "
                      "failures=\"0\" errors=\"0\" skipped=\"0\" time=\"1.234\">"));
  CHECK(holds(xml, "<testcase name=\"sh -c 'a b'\" classname=\"sbx.python\" time=\"1.234\">"));
  CHECK(holds(xml, "<property name=\"sbx.exit_code\" value=\"3\"/>"));
  CHECK_FALSE(holds(xml, "why"));
}

TEST_CASE("who ends badly fails, and who never ran is an error") {
  for (const char* status : {"nonzero", "signal", "timeout", "oom", "seccomp"}) {
    CAPTURE(status);
    const std::string xml = junit_of(result(status));
    CHECK(holds(xml, "failures=\"1\" errors=\"0\""));
    CHECK(holds(xml, "<failure message=\"why &lt;so&gt;\" type=\"" + std::string(status) + "\">"));
  }
  for (const char* status : {"setup_error", "internal_error", "not_found", "not_executable"}) {
    CAPTURE(status);
    const std::string xml = junit_of(result(status));
    CHECK(holds(xml, "failures=\"0\" errors=\"1\""));
    CHECK(holds(xml, "<error message="));
  }
}

TEST_CASE("what was refused stands in the failure, with the line that allows it") {
  const std::string xml = junit_of(result(
      "nonzero",
      R"(,"denials":[{"operation":"connect","target":"x:1","count":3,"allow_with":"network: {allow: [\"x:1\"]}"},)"
      R"({"operation":"mount","target":null,"count":1,"allow_with":null}])"));
  CHECK(holds(xml,
              "blocked: connect x:1, 3 times; a profile allows it with  network: {allow: "
              "[&quot;x:1&quot;]}\nblocked: mount; no line of a profile allows it\n"));
}

TEST_CASE("nothing that the command wrote ends an element or is no XML") {
  const std::string xml = junit_of(result(
      "ok",
      R"(,"output":{"stdout":{"text":"a\u0001\ufffe]]></system-out>\r\n&"},"stderr":{"text":""}})"));
  CHECK(holds(xml,
              "<system-out>a\xef\xbf\xbd\xef\xbf\xbd]]&gt;&lt;/system-out&gt;&#13;\n&amp;"
              "</system-out>"));
  CHECK_FALSE(holds(xml, "system-err"));
}

TEST_CASE("what the command wrote stands there also when it is no UTF-8") {
  const std::string xml =
      junit_of(result("ok", R"(,"output":{"stdout":{"base64":"YTz/Yg=="},"stderr":{"text":"c"}})"));
  CHECK(holds(xml,
              "<system-out>a&lt;\xef\xbf\xbd"
              "b</system-out>"));
  CHECK(holds(xml, "<system-err>c</system-err>"));
}

TEST_CASE("line ends stay in attributes") {
  CHECK(holds(junit_of(R"({"status":"nonzero","reason":{"text":"a\n\"b\""}})"),
              "message=\"a&#10;&quot;b&quot;\""));
}

TEST_CASE("what is no result makes no test") {
  CHECK(junit_of("").empty());
  CHECK(junit_of("[]").empty());
  CHECK(holds(junit_of("{}"), "name=\"(no command)\""));
}
