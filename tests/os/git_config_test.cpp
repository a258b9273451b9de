// parse_git_config() beside git itself: what git finds in a file, of the settings that name other
// files, we find there as well, whatever the file is like. Else a payload could run a hook that we
// have not seen.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "base/git_config.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)
using namespace std::string_view_literals;

namespace {

constexpr std::array kWords{
    "[core]"sv,
    "[CORE]"sv,
    "[core \"a\"]"sv,
    "[core.a]"sv,
    "[include]"sv,
    "[include \"x]\"]"sv,
    "[includeIf \"gitdir:/x\"]"sv,
    "hooksPath"sv,
    "path"sv,
    "worktree"sv,
    "="sv,
    " = "sv,
    " "sv,
    "\t"sv,
    "\n"sv,
    "\r\n"sv,
    "\r"sv,
    "\n"sv,
    "\""sv,
    "\""sv,
    "\\"sv,
    "\\\n"sv,
    "\\\r\n"sv,
    "\\n"sv,
    "\\t"sv,
    "\\b"sv,
    "\\\""sv,
    "\\\\"sv,
    "#"sv,
    ";"sv,
    "a"sv,
    "/x/y"sv,
    "~/h"sv,
    "\0"sv,
    "\xef\xbb\xbf"sv,
    "\v"sv,
    "\xa0"sv,
    "["sv,
    "]"sv,
    "."sv,
    "-"sv,
    "1"sv,
    "\\q"sv,
    "\n[core]hookspath="sv,
    "\n[include]\n\tpath = \""sv,
};

/// A configuration that is one more often than not.
std::string some_file(std::minstd_rand& random) {
  const bool begun = random() % 2 == 0;
  std::string text = begun ? "[core]\n\thooksPath = " : "";
  for (auto left = random() % (begun ? 10 : 25); left > 0; --left)
    text += kWords[random() % kWords.size()];
  return text;
}

std::string printed_by(const std::string& command, bool& well) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = ::pclose(pipe);
  REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) != 127));  // git is there
  well = WEXITSTATUS(status) == 0;
  return text;
}

/// "core.a.hooksPath" has the key of "core.hooksPath": we look no closer.
std::string short_key(std::string_view key) {
  std::string text(key.substr(0, key.find('.')));
  text += key.substr(key.rfind('.'));
  return to_lower(text);
}

struct Expected {
  std::string key;
  std::string value;
};
std::vector<Expected> found_by_git(std::string_view list) {
  std::vector<Expected> found;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find('\0'));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    const std::size_t end = entry.find('\n');
    if (end == std::string_view::npos) continue;  // without a value
    std::string key = short_key(entry.substr(0, end));
    if (key == "core.hookspath" || key == "core.worktree" || key == "include.path" ||
        key == "includeif.path")
      found.push_back({std::move(key), std::string(entry.substr(end + 1))});
  }
  return found;
}

}  // namespace

TEST_CASE("git configuration: we find what git finds") {
  std::string folder = "/tmp/git-config-test-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string file = folder + "/config";
  std::minstd_rand random(20261128);
  std::size_t seen = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::string text = some_file(random);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    bool well = false;
    const std::string list = printed_by(
        "GIT_CONFIG_NOSYSTEM=1 git config --no-includes -z -f " + file + " --list 2>&1", well);
    if (!well) continue;  // git refuses the file
    const std::vector<GitSetting> ours = parse_git_config(text);
    std::size_t at = 0;
    for (const Expected& want : found_by_git(list)) {
      CAPTURE(text);
      CAPTURE(want.key);
      CAPTURE(want.value);
      while (at < ours.size() && (ours[at].key != want.key || ours[at].value != want.value)) ++at;
      CHECK(at++ < ours.size());
      ++seen;
    }
  }
  CHECK(seen > 100);
  std::filesystem::remove_all(folder);
}
