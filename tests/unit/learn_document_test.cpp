#include <doctest/doctest.h>

#include "learn/document.hpp"

using sbx::learn::Document;
using sbx::learn::flow_entries;
using Entries = std::vector<std::string>;

TEST_CASE("entries of a list in flow style") {
  CHECK(flow_entries("[a, b]") == Entries{"a", "b"});
  CHECK(flow_entries(" [ {bind: a, at: [1, 2]} , c ] ") == Entries{"{bind: a, at: [1, 2]}", "c"});
  CHECK(flow_entries(R"(["x, \"y\", ]", '[z'])") == Entries{R"("x, \"y\", ]")", "'[z'"});
  CHECK(flow_entries("[]").empty());
  CHECK(flow_entries("256M").empty());
  CHECK(flow_entries("!replace [a]").empty());
  CHECK(flow_entries("{a: [b]}").empty());
}

TEST_CASE("keys meet below their common parents") {
  Document document;
  document.add("limits.memory", "1G");
  document.add("mounts", "[{tmpfs: /x}]");
  document.add("limits.pids", "10");
  document.add("mounts", "[{bind: /a, at: /a}]", "for ls");
  document.add("limits.memory", "2G");
  CHECK(document.text() ==
        "limits:\n  memory: 2G\n  pids: 10\n"
        "mounts:\n  - {tmpfs: /x}\n  - {bind: /a, at: /a}  # for ls\n");
}

TEST_CASE("an entry stands in a list once") {
  Document document;
  document.add("seccomp.allow", "[ptrace]", "first");
  document.add("seccomp.allow", "[ptrace]", "second");
  CHECK(document.text() == "seccomp:\n  allow:\n    - ptrace  # first\n");
}
