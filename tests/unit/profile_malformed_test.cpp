// Every malformed profile ends in an error with its file, line and column: those of
// tests/cli/malformed, and those that cannot be kept as text files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "profile_testing.hpp"

using sbx::testing::describe;
using sbx::testing::Files;
using sbx::testing::has;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The problems of a text, without `version: 1` put in front.
std::string problems_of_raw(const std::string& text) {
  const auto loaded = sbx::testing::load_files({{"/p/x.yaml", text}}, {.name = "/p/x.yaml"});
  return loaded ? "it loaded" : describe(loaded.error());
}

}  // namespace

TEST_CASE("every file of the malformed corpus is refused at its place") {
  const std::filesystem::path folder = std::filesystem::path(SBX_TEST_DATA) / "cli" / "malformed";
  Files files;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    names.push_back("/p/" + entry.path().filename().string());
    files[names.back()] = read_file(entry.path());
  }
  CHECK(names.size() >= 150);
  for (const std::string& name : names) {
    CAPTURE(name);
    const std::string& text = files[name];
    constexpr std::string_view kMark = "# error ";
    REQUIRE(text.starts_with(kMark));
    const std::string header = text.substr(kMark.size(), text.find('\n') - kMark.size());
    const std::size_t end = header.find(": ");
    const auto loaded = sbx::testing::load_files(files, {.name = name});
    REQUIRE_FALSE(loaded.has_value());
    const std::string problems = describe(loaded.error());
    CAPTURE(problems);
    CHECK(has(problems, name + ':' + header.substr(0, end) + ": "));
    CHECK(has(problems, header.substr(end + 2)));
  }
}

TEST_CASE("one mistake is told once, where it was made") {
  CHECK(problems_of_raw("version: 1\nlimits: {memory: x, memory_high: 1G}\n") ==
        "/p/x.yaml:2:18: `limits.memory` must be a size such as 256M, or none, not `x`\n");
  CHECK(problems_of_raw("version: 1\nlimits: {memory: 1K, memory_high: 1G}\n") ==
        "/p/x.yaml:2:18: `limits.memory` is less than 1M, in which nothing can start\n"
        "  write none to lift the limit\n");
  // What follows the bracket is taken for a part of its last text.
  CHECK(
      problems_of_raw("version: 1\nseccomp:\n  allow: [a, b\nlimits: {memory: 1G}\n") ==
      "/p/x.yaml:3:10: not valid YAML: the bracket `[` is never closed\n  write `]` where the list "
      "ends\n");
  CHECK(
      problems_of_raw("version: 1\nseccomp: {allow: [a]\nlimits: {memory: 1G}\n") ==
      "/p/x.yaml:2:10: not valid YAML: the bracket `{` is never closed\n  write `}` where the map "
      "ends\n");
  // Closed, so that something else is wrong.
  CHECK(has(problems_of_raw("version: 1\nlimits: {memory: 1G pids: 5}\n"),
            "/p/x.yaml:2:25: not valid YAML: end of map flow not found"));
  CHECK(has(problems_of_raw("version: 1\ncommand: [a\n  b, \"]\", c: d: e]\n"),
            "/p/x.yaml:2:11: this text goes on in the next line"));
}

TEST_CASE("bytes that are no YAML text are refused at their place") {
  using namespace std::string_literals;
  CHECK(has(problems_of_raw("version: 1\nname: \xff\n"), "/p/x.yaml:2:7: invalid UTF-8"));
  CHECK(has(problems_of_raw("version: 1\nname: a\xed\xa0\x80\n"), ":2:8: invalid UTF-8"));
  CHECK(has(problems_of_raw("version: 1\nna\0me: a\n"s),
            ":2:3: forbidden control character `\\x00`"));
  CHECK(has(problems_of_raw("\0v\0e\0r\0s\0i\0o\0n"s), "save the file as UTF-8 text"));
  CHECK(
      has(problems_of_raw("version: 1\n\x04network: host\n"), ":2:1: forbidden control character"));
  CHECK(has(problems_of_raw("version: 1\rnetwork: host\n"),
            ":1:11: forbidden control character `\\r`"));
  CHECK(has(problems_of_raw("version: 1\rnetwork: host\n"), "end lines with \\n"));
  CHECK(has(problems_of_raw("version: 1\n\x1b[2J"), ":2:1: forbidden control character"));
  CHECK(has(problems_of_raw("\xff\xfev\0e\0r\0"s), ":1:1: invalid UTF-8"));
  CHECK(has(problems_of_raw("\x7f"
                            "ELF\x02\x01\x01"),
            ":1:1: forbidden control character"));
  CHECK(has(problems_of_raw(""), ":1:1: the profile is empty"));
  CHECK(has(problems_of_raw("\n\n\n"), ":1:1: the profile is empty"));
  CHECK(has(problems_of_raw("---\n...\n"), "the profile is empty"));
}

TEST_CASE("sizes beyond the bounds are refused quickly") {
  const std::string megabyte(std::size_t{1} << 20U, ' ');
  CHECK(has(problems_of_raw("version: 1\n# " + megabyte), "a profile has at most 1048576"));
  CHECK(
      has(problems_of_raw("version: 1\nmask: " + std::string(1000000, '[')), "nested too deeply"));
  CHECK(has(problems_of_raw("version: 1\nmask: " + std::string(1000000, '{')), ":2:"));
  std::string many = "version: 1\nmask:\n";
  for (int i = 0; i < 100000; ++i) many += "- /a\n";
  CHECK(has(problems_of_raw(many), "too many values"));
  std::string keys = "version: 1\n";
  for (int i = 0; i < 40000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  CHECK(has(problems_of_raw(keys), "too many values"));
}

TEST_CASE("a byte order mark and Windows line ends are read past") {
  CHECK(problems_of_raw("\xef\xbb\xbfversion: 1\n") == "it loaded");
  CHECK(problems_of_raw("version: 1\r\nnetwork: none\r\n") == "it loaded");
  CHECK(problems_of_raw("# c\n%YAML 1.2\n---\nversion: 1\n...\n") == "it loaded");
}

TEST_CASE("no prefix of a good profile crashes or starts to mean something with an error") {
  const std::string text =
      "version: 1\nvars: {m: 1G}\ntools: !replace [\"a\", b]\nenv: &e {set: {A: \"${m}\\n\"}}\n"
      "limits:\n  memory: '1G'\n  rlimits: {core: none}\nmounts:\n  - {file: /f, content: |-\n     "
      " x\n}\n  - a:/b\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string problems = problems_of_raw(text.substr(0, size));
    CHECK((problems == "it loaded" || problems.starts_with("/p/x.yaml:")));
  }
}
