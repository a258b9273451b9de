// A line that a program writes is read without CLI11; both must make the same of it.
#include <doctest/doctest.h>

#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/line.hpp"

using namespace sbx::cli;

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  if (line.empty()) return words;
  for (const std::string_view word : sbx::split(line, ' ')) words.emplace_back(word);
  return words;
}

}  // namespace

TEST_CASE("both readers make the same of every line that the plain one takes") {
  const VerbSpec& run = *find_verb("run");
  for (const char* line :
       {"", "default", "a.yaml --json", "--json default", "--memory 1G", "--memory=1G --pids=4",
        "--env A=1 --env B=2 default", "--env=A=1=2 --json --env C", "default extra words",
        "--set limits.wall=1s --ro ./a:/a --ro=./b", "--json --json", "--help",
        "--tty --timeout 1.5s python --result fd:3", "-h", "--set a=b,c [x]"}) {
    CAPTURE(line);
    const auto plain = read_plain_line(run, words_of(line));
    REQUIRE(plain.has_value());
    const auto any = read_any_line(run, words_of(line));
    REQUIRE(any.has_value());
    CHECK(*plain == *any);
  }
}

TEST_CASE("every flag that takes a value, and every one that does not") {
  const VerbSpec& run = *find_verb("run");
  for (const OptionSpec& option : options()) {
    if (!knows(run, option)) continue;
    std::vector<std::string> words{std::string(option.name)};
    if (!option.argument.empty()) words.emplace_back("value");
    CAPTURE(option.name);
    const auto plain = read_plain_line(run, words);
    REQUIRE(plain.has_value());
    CHECK(*plain == *read_any_line(run, words));
    REQUIRE(plain->flags.size() == 1);
    CHECK(plain->flags[0].option == &option);
  }
}

TEST_CASE("anything unusual is left to CLI11") {
  const VerbSpec& run = *find_verb("run");
  for (const char* line : {"--mask=", "--nosuch", "--nosuch=1", "--memory", "--memory --json", "-x",
                           "--env -A", "--json=yes", "--", "-", "default --"}) {
    CAPTURE(line);
    CHECK_FALSE(read_plain_line(run, words_of(line)).has_value());
  }
}

TEST_CASE("no flag takes an empty value, in any form") {
  for (const VerbSpec& verb : verbs()) {
    for (const OptionSpec& option : options()) {
      if (!knows(verb, option) || option.argument.empty()) continue;
      const std::string name(option.name);
      std::vector<std::vector<std::string>> lines{{name, ""}, {name + "="}, {name}, {"", name, ""}};
      if (name == "--output") lines.push_back({"-o", ""});
      if (name == "--jobs") lines.push_back({"-j", ""});
      for (const std::vector<std::string>& line : lines) {
        CAPTURE(verb.name);
        CAPTURE(sbx::join(line, "|"));
        const auto refused = parse(verb, line, "/");
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().front().what == "flag " + name + " needs a value");
      }
    }
  }
}
