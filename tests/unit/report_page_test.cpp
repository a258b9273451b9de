// The page as a whole: every status has words, hostile strings in every field stay text, and what
// is missing is left out or told.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "report/report.hpp"
#include "report/style.hpp"
#include "report/verdict.hpp"

using namespace sbx::report;
using Json = nlohmann::ordered_json;

namespace {

Json result() {
  return {{"schema", "sbx.result/1"},
          {"id", "r1"},
          {"argv", {"python3", "plot.py"}},
          {"status", "ok"},
          {"reason", {{"code", "ok"}, {"text", "it ended by itself"}}},
          {"phase", "run"},
          {"exit_code", 0},
          {"started_at", "2026-11-23T14:18:27.412Z"},
          {"wall_ms", 2841.1},
          {"cpu_ms", {{"user", 10.5}, {"system", nullptr}, {"throttled", nullptr}}},
          {"memory", {{"peak_bytes", 1048576}, {"limit_bytes", 2097152}}},
          {"output", {{"stdout", {{"text", "hello"}, {"bytes", 5}, {"truncated", false}}}}},
          {"denials", Json::array()}};
}

std::string page(const Json& result) {
  const auto made = render(Report{.result = result.dump()});
  REQUIRE(made);
  return *made;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Every string in `json`, and every key's value that is null, becomes `attack`.
void poison(Json& json, const std::string& attack) {
  if (json.is_string()) json = attack;
  if (json.is_structured()) {
    for (auto& value : json) poison(value, attack);
  }
}

std::string names_of_elements(std::string_view html) {
  std::string names;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find_first_of(" >\n", at);
    names += std::string(html.substr(at, end - at)) + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("the page tells what ran and what came of it") {
  const std::string html = page(result());
  CHECK(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"));
  CHECK(has(html, "python3 plot.py"));
  CHECK(has(html, "Succeeded"));
  CHECK(has(html, "It ended by itself"));
  CHECK(has(html, "exit code 0"));
  CHECK(has(html, "2.84 s"));
  CHECK(has(html, "of 2 MiB"));
  CHECK(has(html, "hello"));
  CHECK(has(html, "2026-11-23 14:18:27 UTC"));
  CHECK(has(html, "No samples of this run were kept"));
}

TEST_CASE("the policy allows its own stylesheet, pictures in the page, and nothing else") {
  const std::string html = page(result());
  const std::size_t begin = html.find("<style>") + 7;
  const std::string style = html.substr(begin, html.find("</style>") - begin);
  CHECK(style == kStyle);
  std::string digest;
  const std::string hex = sbx::sha256_hex(style);
  for (std::size_t i = 0; i < hex.size(); i += 2)
    digest += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  CHECK(has(html, "content=\"default-src 'none'; img-src data:; style-src 'sha256-" +
                      sbx::to_base64(digest) + "'; base-uri 'none'; form-action 'none'\""));
  CHECK(html.find("Content-Security-Policy") < html.find("<style>"));
  CHECK_FALSE(has(html, "<script"));
  CHECK_FALSE(has(html, "style=\""));
  CHECK_FALSE(has(html, "http://"));
  CHECK_FALSE(has(html, "https://"));
}

TEST_CASE("every status of the schema has words and a sign") {
  for (const char* status : {"ok", "nonzero", "signal", "timeout", "cpu_limit", "idle_timeout",
                             "oom", "output_limit", "disk_limit", "seccomp", "interrupted",
                             "not_found", "not_executable", "setup_error", "internal_error"}) {
    const Verdict verdict = verdict_of({.status = status});
    CHECK(verdict.tone != Tone::unknown);
    CHECK(verdict.words != status);
  }
  CHECK(verdict_of({.status = "nonzero", .exit_code = 3}).words == "Failed: exit code 3");
  CHECK(verdict_of({.status = "signal", .signal = 11}).words == "Killed by signal 11 (SIGSEGV)");
  CHECK(verdict_of({.status = "later<b>"}).words == "later&lt;b&gt;");
  CHECK(signal_text(-7) == "-7");
  CHECK(signal_text(1'000'000'000'000) == "1000000000000");
}

TEST_CASE("strings in every field of the result stay text") {
  Json full = result();
  full["warnings"] = {"w"};
  full["redactions"] = {{{"secret", "s"}, {"count", 2}}};
  full["changes"] = {{"added", 1}, {"run", "r1"}};
  full["denials"] = {{{"operation", "o"}, {"target", "t"}, {"comm", "c"}, {"allow_with", "a"}}};
  full["isolation"] = {{"tier", "t"}, {"enforced", {"e"}}, {"degraded", {"d"}}, {"user", "u"}};
  Json clean = full;
  poison(clean, "word");
  const std::string expected = names_of_elements(page(clean));
  for (const std::string attack :
       {"</script><script>x</script>", "\"><img src=x onerror=x>", "'><svg onload=x>", "--><b>",
        "</title></style><style>@import 'x'", "<!--", "&lt;script&gt;", "</pre></td></dl>"}) {
    Json poisoned = full;
    poison(poisoned, attack);
    const std::string html = page(poisoned);
    CAPTURE(attack);
    CHECK(names_of_elements(html) == expected);
  }
}

TEST_CASE("fields of the wrong type, or none at all, are no reason to fail") {
  CHECK(has(page(Json::object()), "No command"));
  Json odd = result();
  for (const Json& wrong : {Json(nullptr), Json(-1), Json("x"), Json::array({1, Json::array()}),
                            Json{{"text", 5}, {"user", "x"}, {"secret", 1}}, Json(1e300)}) {
    for (auto& value : odd) value = wrong;
    CHECK(sbx::is_utf8(page(odd)));
  }
  CHECK_FALSE(render(Report{.result = "[]"}));
  CHECK_FALSE(render(Report{.result = "{\"a\":"}));
  CHECK_FALSE(render(Report{.result = ""}));
}

TEST_CASE("a result that is nested without end takes no stack") {
  constexpr std::size_t kDeep = 1'000'000;
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  CHECK_FALSE(render(Report{.result = deep}));
  CHECK(render(Report{.result = "{\"argv\":" + deep + ",\"warnings\":[" + deep + "]}"}));
}

TEST_CASE("output may be any bytes, as text, as base64, or captured beside the result") {
  Json json = result();
  json["output"] = {{"stdout", {{"base64", sbx::to_base64("\xff<b>")}, {"bytes", 4}}}};
  CHECK(has(page(json), "\\xff</span>&lt;b&gt;"));
  json["output"] = {{"stdout", {{"bytes", 4}}}};
  CHECK(has(page(json), "The text was not kept"));
  const auto made = render(Report{.result = json.dump(), .out = "from elsewhere"});
  CHECK(has(*made, "from elsewhere"));
}

TEST_CASE("no sample, one sample and several are told apart") {
  Report report{.result = result().dump(), .samples = {{.t_ms = 5, .pids = 3}}};
  CHECK(has(*render(report), "One sample only"));
  report.samples.push_back({.t_ms = 10, .memory_bytes = 5000, .pids = 4});
  const std::string html = *render(report);
  CHECK(has(html, "<svg class=\"plot\""));
  CHECK(has(html, "The same as a table"));
}

TEST_CASE("artifacts past the bound are counted, and a sink that fails ends the page") {
  Report report{.result = result().dump()};
  report.artifacts.resize(kArtifactsMost + 5, Artifact{.path = "/x"});
  CHECK(has(*render(report), "and 5 more artifacts"));
  int pieces = 0;
  const auto made = render(report, [&pieces](std::string_view) -> sbx::Result<void> {
    if (++pieces == 3) return std::unexpected(sbx::Error{.what = "no space"});
    return {};
  });
  REQUIRE_FALSE(made);
  CHECK(made.error().what == "no space");
  CHECK(pieces == 3);
}
