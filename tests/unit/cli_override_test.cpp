// What flags turn into: one YAML value each, whatever their argument holds.
#include <doctest/doctest.h>

#include <string>

#include "cli/app.hpp"
#include "cli/override.hpp"

namespace {

using sbx::cli::find_option;
using sbx::cli::find_verb;
using sbx::cli::override_of;

std::string yaml(std::string_view flag, std::string_view argument) {
  const auto* option = find_option(*find_verb("run"), flag);
  REQUIRE(option != nullptr);
  const auto made = override_of(*option, argument, "/here");
  return made ? made->yaml : "error: " + made.error().what;
}

}  // namespace

TEST_CASE("a quoted value cannot end its quotes or its line") {
  CHECK(sbx::cli::yaml_quote("a\"b\\c\nd\x7f") == R"("a\"b\\c\x0ad\x7f")");
  CHECK(yaml("--env", "V=x\"}, pass: [HOME]") == R"({set: {"V": "x\"}, pass: [HOME]"}})");
  CHECK(yaml("--memory", "1G}, x: {") == R"("1G}, x: {")");
}

TEST_CASE("bytes that are no text are refused as such, with their place") {
  CHECK(yaml("--env", "V=caf\xe9") == "error: the value is not UTF-8 text: byte 6 of it is \\xe9");
  CHECK(yaml("--set", "vars.\xff=1") ==
        "error: the value is not UTF-8 text: byte 6 of it is \\xff");
  CHECK(yaml("--env", "V=caf\u00e9") == "{set: {\"V\": \"caf\u00e9\"}}");
  const auto* option = find_option(*find_verb("run"), "--rw");
  const auto made = override_of(*option, "data", "/caf\xe9");
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().where == "--rw");
  CHECK(made.error().what == "the path of the current directory is not UTF-8 text");
}

TEST_CASE("numbers and quantities stay plain, because a quoted one would be text") {
  CHECK(yaml("--pids", "12") == "12");
  CHECK(yaml("--memory", "1.5G") == "1.5G");
  CHECK(yaml("--time-offset", "monotonic=-3d") == R"({"monotonic": -3d})");
  CHECK(yaml("--pids", "---") == R"("---")");
}

TEST_CASE("a mount's target is what follows the last ':/'") {
  CHECK(yaml("--ro", "a:b:/c//d/") == R"([{bind: "a:b", at: "/c/d"}])");
  CHECK(yaml("--rw", "data") == R"([{bind: "data", at: "/here/data", mode: rw}])");
  CHECK(yaml("--ro", "../x") == R"([{bind: "/here/../x", at: "/x"}])");
  CHECK(yaml("--ro", "a:b").starts_with("error: "));
  CHECK(yaml("--ro", "/sys/pci:00:/x/0:1") == R"([{bind: "/sys/pci:00", at: "/x/0:1"}])");
  CHECK(yaml("--ro", "~/x").starts_with("error: "));
}

TEST_CASE("docker's modes behind a place are no part of its name") {
  CHECK(yaml("--ro", "a:/b:ro") == R"([{bind: "a", at: "/b"}])");
  CHECK(yaml("--rw", "a:/b:rw") == R"([{bind: "a", at: "/b", mode: rw}])");
  CHECK(yaml("--ro", "a:/b:rw") == "error: rw behind the place is no mode of this flag");
  CHECK(yaml("--rw", "a:/b:ro") == "error: ro behind the place is no mode of this flag");
  CHECK(yaml("--ro", "a:/b:ro,Z") == "error: ro,Z behind the place is no mode of this flag");
  CHECK(yaml("--copy-in", "a:/b:ro") == "error: ro behind the place is no mode of this flag");
  CHECK(yaml("--ro", "a:/b:row") == R"([{bind: "a", at: "/b:row"}])");
  CHECK(yaml("--ro", "/x:ro") == "error: '/x:ro': what follows ':' must be an absolute path");
}

TEST_CASE("a workspace is a folder, a mode, or both") {
  CHECK(yaml("--workspace", "none") == "{mode: none}");
  CHECK(yaml("--workspace", ":rw") == "{mode: rw}");
  CHECK(yaml("--workspace", "a:b:overlay") == R"({source: "a:b", mode: overlay})");
  CHECK(yaml("--workspace", ".:wr").starts_with("error: "));
}

TEST_CASE("overrides keep the order of the line, the command keeps its words") {
  const auto parsed =
      sbx::cli::parse(*find_verb("run"),
                      {"p", "--swap", "1G", "--memory=2G", "--swap=3G", "--", "x", "--json"}, "/");
  REQUIRE(parsed.has_value());
  REQUIRE(parsed->overrides.size() == 3);
  CHECK(parsed->overrides[0].yaml == "1G");
  CHECK(parsed->overrides[1].key == "limits.memory");
  CHECK(parsed->overrides[2].yaml == "3G");
  CHECK(parsed->command == std::vector<std::string>{"x", "--json"});
  CHECK(!parsed->reporting.json);
}

TEST_CASE("where to report to is known from a wrong line as well") {
  const auto found =
      sbx::cli::find_reporting({"--bogus", "--json", "--result", "r", "--", "--events=e"});
  CHECK(found.json);
  CHECK(found.result == "r");
  CHECK(found.events.empty());
}
