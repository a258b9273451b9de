// What a job's line says, and what is wrong with one.
#include <doctest/doctest.h>

#include <string>

#include "batch/job.hpp"

using namespace sbx;
using namespace sbx::batch;

namespace {

Job good(const std::string& line, std::size_t number = 7) {
  auto job = read_job(line, number, "jobs:7");
  REQUIRE_MESSAGE(job.has_value(), line);
  return *std::move(job);
}

/// All problems, a line each.
std::string bad(const std::string& line) {
  const auto job = read_job(line, 7, "jobs:7");
  REQUIRE_MESSAGE(!job.has_value(), line);
  std::string all;
  for (const Error& error : job.error()) {
    CHECK(error.where == "jobs:7");
    all += error.what + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("a job has a name, a command and nothing else that is not said") {
  const Job job = good(R"j({"argv": ["python3", "-c", "print(1)"]})j");
  CHECK(job.id == "7");
  CHECK(job.argv == std::vector<std::string>{"python3", "-c", "print(1)"});
  CHECK(job.profile.empty());
  CHECK(job.overrides.empty());
  CHECK(job.input.kind == JobInput::Kind::none);
  CHECK(job.files.empty());
  CHECK(good(R"({"id": "a\u001bb", "argv": ["x"]})").id ==
        "a\x1b"
        "b");
}

TEST_CASE("overrides become the YAML of a profile's own form") {
  const Job job = good(R"({"overrides": {"limits": {"memory": "256M", "pids": 12, "cpus": 0.5,
      "wall": "none", "cpuset": "0-3", "rlimits": {"core": 0}},
      "env": {"set": {"A": "true", "B": "1e3", "C": "plain", "D": "a: b", "E": "", "F": "-x", "G": "12"}},
      "mask": ["/a/**"], "landlock": "off"}})");
  REQUIRE(job.overrides.size() == 4);
  CHECK(job.overrides[0].key == "env");
  CHECK(
      job.overrides[0].yaml ==
      R"({"set": {"A": "true", "B": "1e3", "C": plain, "D": "a: b", "E": "", "F": "-x", "G": "12"}})");
  CHECK(job.overrides[1].yaml == "off");
  CHECK(job.overrides[2].key == "limits");
  CHECK(job.overrides[2].yaml == R"({"cpus": 0.5, "cpuset": "0-3", "memory": 256M, "pids": 12, )"
                                 R"("rlimits": {"core": 0}, "wall": none})");
  CHECK(job.overrides[3].yaml == R"(["/a/**"])");
  CHECK(job.overrides[0].flag == "overrides");
  CHECK(good("{\"overrides\": {\"hostname\": \"a\x7f\"}}").overrides[0].yaml == "\"a\\u007f\"");
}

TEST_CASE("jobs of one policy share it, others do not") {
  const auto policy = [](const std::string& line) { return good(line).policy(); };
  const std::string one =
      policy(R"({"argv": ["a"], "profile": "p", "overrides": {"landlock": "off"}})");
  CHECK(one == policy(R"({"argv": ["b"], "profile": "p", "overrides": {"landlock": "off"}})"));
  CHECK(one != policy(R"({"argv": ["a"], "profile": "p", "overrides": {"landlock": "auto"}})"));
  CHECK(one != policy(R"({"argv": ["a"], "profile": "q", "overrides": {"landlock": "off"}})"));
  CHECK(one != policy(R"({"argv": ["a"], "profile": "p"})"));
}

TEST_CASE("standard input and files are text, or bytes in base64") {
  CHECK(good(R"({"stdin": "a\nb"})").input.text == "a\nb");
  CHECK(good(R"({"stdin": {"text": ""}})").input.kind == JobInput::Kind::bytes);
  CHECK(good(R"({"stdin": {"base64": "AP8="}})").input.text == std::string("\0\xff", 2));
  CHECK(good(R"({"stdin": {"file": "in.txt"}})").input.kind == JobInput::Kind::file);
  const Job job = good(R"({"files": {"a/b.py": "x", "c": {"base64": "AA==", "perm": "0755"}}})");
  REQUIRE(job.files.size() == 2);
  CHECK(job.files[0].path == "a/b.py");
  CHECK(job.files[0].perm == 0644);
  CHECK(job.files[1].content == std::string("\0", 1));
  CHECK(job.files[1].perm == 0755);
}

TEST_CASE("a line that is no job is told what is wrong with it") {
  CHECK(bad("") == "this is no JSON: it ends too early\n");
  CHECK(bad(R"({"argv": ["x"])") == "this is no JSON: it ends too early\n");
  CHECK(bad(R"({"argv": [x]})") == "this is no JSON: byte 11, 'x]}'\n");
  CHECK(bad(R"({"argv": ["x"], "overrides": {"limits": {"pids": 1e400}}})") ==
        "the number 1e400 in it is out of range\n");
  CHECK(bad("[]") == "a job is an object, not a list\n");
  CHECK(bad(R"({"argv": ["x"], "argv": ["y"]})") == "the key argv stands twice\n");
  CHECK(bad(R"({"argvs": ["x"]})") == "unknown key argvs; did you mean argv?\n");
  CHECK(bad(R"({"argv": "x"})") == "`argv` must be a list of the command and its arguments\n");
  CHECK(bad(R"({"argv": []})") == "`argv` must be a list of the command and its arguments\n");
  CHECK(bad(R"({"argv": ["a", 1]})") == "`argv` must hold text only, not a number\n");
  CHECK(bad(R"({"argv": ["a\u0000b"]})") == "`argv`: a null byte, which no argument can hold\n");
  CHECK(bad(R"({"id": 7, "profile": ""})") ==
        "`id` must be text, not a number\n`profile` must be a name or a path, not text\n");
  CHECK(bad(R"({"id": ")" + std::string(257, 'x') + "\"}") == "`id` must have 1 to 256 bytes\n");
  CHECK(bad(R"({"overrides": {"limits.memory": "1G"}})") ==
        "`overrides`: \"limits.memory\" is no key of a profile\n");
  // Policies are told apart by text in which a null byte stands between the keys.
  CHECK(bad(R"({"overrides": {"a\u0000b": 1}})") ==
        "`overrides`: \"a\\u0000b\" is no key of a profile\n");
  CHECK(bad(R"({"overrides": [1]})") ==
        "`overrides` must be an object in the form of a profile, not a list\n");
  CHECK(bad(R"({"stdin": {"base64": "A"}})") == "`stdin`: this is no base64\n");
  CHECK(bad(R"({"stdin": {"file": "a", "text": "b"}})") ==
        "`stdin`: `file` must be the path of a file, and alone\n");
  CHECK(bad(R"({"stdin": {"txt": "b"}})") == "`stdin`: unknown key txt; did you mean text?\n");
}

TEST_CASE("a file of a job cannot leave its workspace") {
  for (const char* path : {"/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "", "a\\u0000"})
    CHECK(bad(std::string(R"({"files": {")") + path + R"(": "x"}})").starts_with("`files`: "));
  CHECK(bad(R"({"files": {"a/)" + std::string(256, 'x') + R"(": ""}})")
            .ends_with(" has a name of more than 255 bytes in it\n"));
  CHECK(bad(R"({"files": {"a": "x", "a/b": "y"}})") ==
        "`files`: a is a file and the folder of another\n");
  CHECK(bad(R"({"files": {"a": {"text": "x", "perm": "4755"}}})") ==
        "`files`: a: `perm` must be octal text such as \"0755\"\n");
}

TEST_CASE("brackets are counted before anything is built of them") {
  const std::string deep(100'000, '[');
  CHECK(bad(R"({"argv": )" + deep) == "more than 32 brackets are open at once\n");
  CHECK(good(R"({"argv": ["[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"[["]})").argv.size() == 1);
}
