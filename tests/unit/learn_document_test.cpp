#include <doctest/doctest.h>

#include "learn/document.hpp"

using sbx::learn::Document;

TEST_CASE("keys meet below their common parents, in the order in which they came") {
  Document document;
  document.add("seccomp.allow", "ptrace", "by strace");
  document.set("workspace.mode", "rw");
  document.set("seccomp.args", "!replace []");
  document.add("mounts", "{bind: /a, at: /a}", "");
  document.set("workspace.mode", "overlay");
  CHECK(document.text() ==
        "seccomp:\n  allow:\n    - ptrace  # by strace\n  args: !replace []\n"
        "workspace:\n  mode: overlay\nmounts:\n  - {bind: /a, at: /a}\n");
}

TEST_CASE("an entry stands in a list once") {
  Document document;
  document.add("seccomp.allow", "ptrace", "first");
  document.add("seccomp.allow", "ptrace", "second");
  CHECK(document.text() == "seccomp:\n  allow:\n    - ptrace  # first\n");
}
