// Changes as people see them: the lines of `git diff --stat` and of `git diff`, for each kind.
#include <doctest/doctest.h>

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "changes/diff_view.hpp"
#include "changes_patch.hpp"

using sbx::changes::Change;
using sbx::changes::ChangeSet;
using sbx::changes::Entry;
using sbx::changes::EntryKind;
using sbx::changes::Lack;
using sbx::changes::patch_view;
using sbx::changes::stat_view;
using sbx::changes::ViewOptions;

namespace {

Entry folder(unsigned mode = 0755) { return {.kind = EntryKind::folder, .mode = mode}; }
Entry fifo() { return {.kind = EntryKind::fifo}; }
Entry symlink(std::string target) {
  return {.kind = EntryKind::symlink, .target = std::move(target)};
}

/// Changes and their contents, as a run might have left them.
struct Scene {
  ChangeSet set;
  std::map<std::pair<std::string, bool>, std::string> contents;
  Lack lack = Lack::lost;

  /// The digest is the content: all that is asked of one is that it tells contents apart.
  static Entry file(const std::string& content, unsigned mode = 0644) {
    return {.kind = EntryKind::file, .mode = mode, .size = content.size(), .digest = content};
  }
  Change& put(std::string path, Entry before, Entry after) {
    if (before.kind == EntryKind::file) contents[{path, false}] = before.digest;
    if (after.kind == EntryKind::file) contents[{path, true}] = after.digest;
    set.changes.push_back({std::move(path), std::move(before), std::move(after)});
    return set.changes.back();
  }
  void lose(const std::string& path, bool after) { contents.erase({path, after}); }

  [[nodiscard]] std::expected<std::string, Lack> read(const Change& change, bool after) const {
    const auto found = contents.find({change.path, after});
    if (found == contents.end()) return std::unexpected(lack);
    return found->second;
  }
  [[nodiscard]] std::string stat(const ViewOptions& options = {}) const {
    return stat_view(set, [this](const Change& c, bool after) { return read(c, after); }, options);
  }
  /// Of one row: the sum is left out.
  [[nodiscard]] std::string row() const {
    const std::string text = stat();
    return text.substr(0, text.find('\n'));
  }
  [[nodiscard]] std::string patch(const ViewOptions& options = {}) const {
    std::string text;
    patch_view(
        set, [this](const Change& c, bool after) { return read(c, after); }, options,
        [&text](std::string_view lines) {
          text += lines;
          return true;
        });
    return text;
  }
};

Entry file(const std::string& content, unsigned mode = 0644) { return Scene::file(content, mode); }

/// The two views of one change.
std::pair<std::string, std::string> views(const std::string& path, const Entry& before,
                                          const Entry& after) {
  Scene scene;
  scene.put(path, before, after);
  return {scene.row(), scene.patch()};
}

using Views = std::pair<std::string, std::string>;

}  // namespace

TEST_CASE("files: modified, new, deleted") {
  CHECK(views("a.c", file("1\n2\n"), file("1\n3\n4")) ==
        Views{" a.c | 3 ++-",
              "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,3 @@\n 1\n-2\n+3\n+4\n"
              "\\ No newline at end of file\n"});
  CHECK(views("a.c", {}, file("1\n", 0755)) ==
        Views{" a.c | 1 +",
              "diff --git a/a.c b/a.c\nnew file mode 100755\n--- /dev/null\n+++ b/a.c\n"
              "@@ -0,0 +1 @@\n+1\n"});
  CHECK(views("a.c", file("1\n"), {}) ==
        Views{" a.c | 1 -",
              "diff --git a/a.c b/a.c\ndeleted file mode 100644\n--- a/a.c\n+++ /dev/null\n"
              "@@ -1 +0,0 @@\n-1\n"});
  CHECK(views("a", {}, file("")) ==
        Views{" a | new empty file", "diff --git a/a b/a\nnew file mode 100644\n"});
  CHECK(views("a", file(""), {}) ==
        Views{" a | deleted empty file", "diff --git a/a b/a\ndeleted file mode 100644\n"});
}

TEST_CASE("modes: git's two, and all others in words") {
  CHECK(views("a", file("x"), file("x", 0755)) ==
        Views{" a | mode 0644 -> 0755", "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"});
  CHECK(views("a", file("x"), file("x", 0600)) ==
        Views{" a | mode 0644 -> 0600", "# a: mode 0644 -> 0600\n"});
  CHECK(views("a", file("x\n"), file("y\n", 0755)).first == " a | 2 +-, mode 0644 -> 0755");
  const auto [row, patch] = views("a", {}, file("x\n", 04755));
  CHECK(row == " a | 1 +, mode 4755");
  CHECK(patch.rfind("# a: mode 4755\ndiff --git a/a b/a\nnew file mode 100755\n", 0) == 0);
}

TEST_CASE("binary files have sizes and no lines") {
  CHECK(views("a.png", {}, file(std::string("\0abc", 4))) ==
        Views{" a.png | Bin 0 -> 4 bytes",
              "diff --git a/a.png b/a.png\nnew file mode 100644\n"
              "Binary files /dev/null and b/a.png differ\n"});
  CHECK(views("a", file(std::string(7999, 'a') + '\0'), file("b")).first ==
        " a | Bin 8000 -> 1 bytes");
  CHECK(views("a", file(std::string(8000, 'a') + '\0'), file("b")).first == " a | 2 +-");
}

TEST_CASE("symlinks are their targets") {
  CHECK(
      views("l", symlink("a"), symlink("b")) ==
      Views{" l | symlink to b, was to a",
            "diff --git a/l b/l\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n"
            "+b\n\\ No newline at end of file\n"});
  CHECK(views("l", {}, symlink("\x1b[m")).first == " l | new symlink to \\x1b[m");
  CHECK(views("l", symlink("a"), {}) ==
        Views{" l | deleted symlink to a",
              "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n"
              "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"});
}

TEST_CASE("from one kind to another: the old entry goes, the new one comes") {
  CHECK(views("x", file("1\n"), symlink("y")) ==
        Views{" x | file became a symlink to y",
              "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n"
              "@@ -1 +0,0 @@\n-1\n"
              "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n"
              "@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n"});
  CHECK(views("x", folder(), fifo()) ==
        Views{" x | folder became a fifo", "# x: deleted folder\n# x: new fifo\n"});
}

TEST_CASE("what git has no form for is said in words") {
  CHECK(views("d", {}, folder()) == Views{" d | new folder", "# d: new folder, mode 0755\n"});
  CHECK(views("d", folder(), {}) == Views{" d | deleted folder", "# d: deleted folder\n"});
  CHECK(views("", folder(), folder(0700)) ==
        Views{" . | mode 0755 -> 0700", "# .: mode 0755 -> 0700\n"});
  CHECK(views("p", {}, fifo()) == Views{" p | new fifo", "# p: new fifo\n"});
  CHECK(views("a", file("x"), file("x")) == Views{" a | 0", "# a: no difference to show\n"});
  Entry before = file("x");
  Entry after = file("x");
  before.attributes = {{"user.a", "1"}, {"user.b", "1"}, {"user.c", "1"}};
  after.attributes = {{"user.a", "1"}, {"user.c", "2"}, {"user.\n", "1"}};
  CHECK(views("a", before, after) ==
        Views{" a | attributes: user.b gone, user.c changed, user.\\n new",
              "# a: attributes: user.b gone, user.c changed, user.\\n new\n"});
}

TEST_CASE("the sum, what is left out of it, and what could not be kept") {
  Scene scene;
  scene.put("a", file("x\n"), file("y\n"));
  scene.put("d", {}, folder());
  scene.put("d/e", folder(0), folder(0)).passage = true;
  scene.put("d/f", {}, file("1\n2\n"));
  scene.set.omitted.push_back({"run/so\ncket", "a socket"});
  CHECK(scene.stat() ==
        " a   | 2 +-\n d   | new folder\n d/f | 2 ++\n"
        " 2 files and 1 folder changed, 3 insertions(+), 1 deletion(-)\n"
        " not kept: run/so\\ncket (a socket)\n");
  CHECK(scene.patch().find("d/e") == std::string::npos);
  CHECK(scene.patch().find("\n# not kept: run/so\\ncket (a socket)\n") != std::string::npos);
  CHECK(Scene().stat().empty());
  CHECK(Scene().patch().empty());
}

TEST_CASE("contents that are not there") {
  Scene scene;
  scene.put("a", file("x\n"), file("y\n", 0755));
  scene.put("b", file("x\n"), {});
  scene.put("c", {}, file("z\n")).disturbed = true;
  scene.put("d", file("1"), file("2")).after.size = sbx::changes::kLargestShown + 1;
  scene.lose("a", false);
  scene.lose("b", false);
  scene.lose("c", true);
  CHECK(scene.stat() ==
        " a | mode 0644 -> 0755 (the host's file has changed since; no lines to show)\n"
        " b | deleted file (the host's file has changed since; no lines to show)\n"
        " c | new file (what the run wrote is not kept; no lines to show)"
        " (the host's side changed during the run)\n"
        " d | 1 -> 8388609 bytes (too large; no lines to show)\n"
        " 4 files changed, 0 insertions(+), 0 deletions(-)\n");
  CHECK(scene.patch() ==
        "# a: (the host's file has changed since; no lines to show)\n"
        "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"
        "# b: deleted file (the host's file has changed since; no lines to show)\n"
        "# c: new file (what the run wrote is not kept; no lines to show)"
        " (the host's side changed during the run)\n"
        "# d: 1 -> 8388609 bytes (too large; no lines to show)\n");
}

TEST_CASE("contents that the host has as the run left them") {
  Scene scene;
  scene.put("a", file("x\n"), file("y\n"));
  scene.put("b", file("x\n"), {});
  scene.lose("a", false);
  scene.lose("b", false);
  scene.lack = Lack::applied;
  CHECK(scene.patch() ==
        "# a: (already applied; no lines to show)\n"
        "# b: deleted file (already applied; no lines to show)\n");
}

TEST_CASE("a file that went and came again was moved") {
  Scene scene;
  scene.put("a/one", file("x"), {});
  scene.put("a/two", file("x"), {});
  scene.put("b/new", {}, file("x"));
  scene.put("b/two", {}, file("x", 0755));
  scene.put("empty", file(""), {});
  scene.put("empty2", {}, file(""));
  CHECK(scene.stat() ==
        " a/one => b/new | 0\n a/two => b/two | mode 0644 -> 0755\n empty          | deleted empty "
        "file\n empty2         | new empty file\n"
        " 4 files changed, 0 insertions(+), 0 deletions(-)\n");
  CHECK(
      scene.patch().rfind(
          "diff --git a/a/one b/b/new\nsimilarity index 100%\nrename from a/one\nrename to b/new\n"
          "diff --git a/a/two b/b/two\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n"
          "rename from a/two\nrename to b/two\n",
          0) == 0);
}

TEST_CASE("names: as git quotes them in patches, harmless in the table") {
  const auto [row, patch] = views("q\"\\\n\x1b\xc3\xa9", file("1\n"), file("2\n"));
  CHECK(row == " q\"\\\\n\\x1b\xc3\xa9 | 2 +-");
  CHECK(
      patch.rfind("diff --git \"a/q\\\"\\\\\\n\\033\\303\\251\" \"b/q\\\"\\\\\\n\\033\\303\\251\"\n"
                  "--- \"a/q\\\"\\\\\\n\\033\\303\\251\"\n",
                  0) == 0);
  CHECK(views("a b", file("1\n"), {}).second.find("\n--- a/a b\t\n+++ /dev/null\n") !=
        std::string::npos);
}

TEST_CASE("a line fits its columns: bars shrink, names lose their begin") {
  Scene scene;
  scene.put("a/long/name/that/goes/on/and/on/file.c", file(""), file(std::string(3000, '\n')));
  scene.put("b", file("x\n"), file(std::string(20, '\n')));
  CHECK(scene.stat({.columns = 50}) ==
        " .../that/goes/on/and/on/file.c   | 3000 ++++++++\n"
        " b                                |   21 +-\n"
        " 2 files changed, 3020 insertions(+), 1 deletion(-)\n");
}

TEST_CASE("colours for a terminal, and nothing that a payload wrote gets through to it") {
  Scene scene;
  scene.put("a", file("\t1\n"), file("\t\x1b[31m\r\n@@\n"));
  CHECK(scene.patch({.colour = true}) ==
        "\x1b[1mdiff --git a/a b/a\x1b[m\n\x1b[1m--- a/a\x1b[m\n\x1b[1m+++ b/a\x1b[m\n"
        "\x1b[36m@@ -1 +1,2 @@\x1b[m\n\x1b[31m-\t1\x1b[m\n\x1b[32m+\t\\x1b[31m\\r\x1b[m\n"
        "\x1b[32m+@@\x1b[m\n");
  CHECK(scene.patch({.escape = true}).find("\n+\t\\x1b[31m\\r\n") != std::string::npos);
  CHECK(scene.patch().find("\n+\t\x1b[31m\r\n") != std::string::npos);
  CHECK(scene.stat({.colour = true}).find(" a | 3 \x1b[32m++\x1b[m\x1b[31m-\x1b[m\n") !=
        std::string::npos);
}

TEST_CASE("the hunks of a patch make one content out of the other") {
  const std::string before = "#1\n--- a\n+++ b\n@@ -1 +1 @@\n\nend";
  const std::string after = "#1\ndiff --git a/x b/x\n--- a\n@@ -1 +1 @@\nend\n";
  const std::string patch = views("x", file(before), file(after)).second;
  CHECK(patched(before, patch.substr(patch.find("@@"))) == after);
}
