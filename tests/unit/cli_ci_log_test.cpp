// The marks of `sbx run --ci`.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "cli/ci_log.hpp"

using sbx::cli::CiLevel;
using sbx::cli::CiLog;
using sbx::cli::CiService;

namespace {

CiService found_in(const std::map<std::string, std::string>& environment) {
  return sbx::cli::find_ci([&environment](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

CiLog::Time at(int seconds) { return CiLog::Time(std::chrono::seconds(seconds)); }

}  // namespace

TEST_CASE("a service is known by its environment") {
  CHECK(found_in({{"GITHUB_ACTIONS", "true"}}) == CiService::github);
  CHECK(found_in({{"GITLAB_CI", "true"}}) == CiService::gitlab);
  CHECK(found_in({{"GITHUB_ACTIONS", "false"}}) == CiService::plain);
  CHECK(found_in({{"JENKINS_URL", "https://ci.example.org/"}, {"CI", "true"}}) == CiService::plain);
  CHECK(found_in({}) == CiService::plain);
}

TEST_CASE("GitHub obeys nothing between opening and closing") {
  const CiLog log(CiService::github, "abc");
  CHECK(log.needs_one_stream());
  CHECK(log.opening("100% \n::x", at(0)) == "::group::100%25 \\n::x\n::stop-commands::abc\n");
  CHECK(log.closing(at(0)) == "\n::abc::\n::endgroup::\n");
}

TEST_CASE("GitHub's annotations cannot be ended by what stands in them") {
  const CiLog log(CiService::github, "abc");
  CHECK(log.annotation(CiLevel::error, "sbx: oom, really", "50%\nline\r\x1b::set-env::") ==
        "::error title=sbx%3A oom%2C really::50%25%0Aline\\r\\x1b::set-env::\n");
  CHECK(log.annotation(CiLevel::warning, "sbx", "x") == "::warning title=sbx::x\n");
  CHECK(log.annotation(CiLevel::notice, "sbx", "x") == "::notice title=sbx::x\n");
}

TEST_CASE("GitLab folds a section") {
  const CiLog log(CiService::gitlab, "abc");
  CHECK_FALSE(log.needs_one_stream());
  CHECK(log.opening("t\x1b", at(7)) == "\x1b[0Ksection_start:7:sbx_abc\r\x1b[0Kt\\x1b\n");
  CHECK(log.closing(at(9)) == "\n\x1b[0Ksection_end:9:sbx_abc\r\x1b[0K\n");
  CHECK(log.annotation(CiLevel::error, "t", "x").empty());
}

TEST_CASE("elsewhere lines are plain") {
  const CiLog log(CiService::plain, "abc");
  CHECK(log.opening("title", at(7)) == "title\n");
  CHECK(log.closing(at(7)) == "\n");
  CHECK(log.annotation(CiLevel::error, "t", "x").empty());
}
