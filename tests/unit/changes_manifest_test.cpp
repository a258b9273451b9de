#include "changes/manifest.hpp"

#include <doctest/doctest.h>

#include "changes/apply.hpp"

namespace sbx::changes {
namespace {

Entry file(unsigned mode, std::uint64_t size, std::string digest) {
  Entry entry;
  entry.kind = EntryKind::file;
  entry.mode = mode;
  entry.size = size;
  entry.digest = std::move(digest);
  entry.modified_ns = -5;
  return entry;
}

Entry folder(unsigned mode) {
  Entry entry;
  entry.kind = EntryKind::folder;
  entry.mode = mode;
  return entry;
}

Change change(std::string path, Entry before, Entry after) {
  Change made;
  made.path = std::move(path);
  made.before = std::move(before);
  made.after = std::move(after);
  return made;
}

ChangeSet example() {
  ChangeSet set;
  set.run = "20261123-111754-a95298ab";
  set.profile = "default";
  set.workspace = "/home/me/\xff";
  set.argv = {"sh", "-c", "\xfe"};
  set.ended_at = "2026-11-23T11:17:54.000Z";
  set.changes.push_back(change("a\nb\xff", {}, file(0644, 3, std::string(64, 'a'))));
  set.changes.back().object = 1;
  set.changes.back().link_group = 2;
  set.changes.back().after.attributes = {{"user.a", std::string("\0\xff", 2)}};
  set.changes.push_back(change("d", folder(0555), folder(0555)));
  set.changes.back().passage = true;
  Entry link;
  link.kind = EntryKind::symlink;
  link.mode = 0777;
  link.target = "/etc/\x80";
  set.changes.push_back(change("d/l", file(0600, 1, ""), link));
  set.changes.back().disturbed = true;
  set.omitted.push_back({"s", "a socket or a device"});
  return set;
}

std::vector<std::string> selected(const ChangeSet& set, std::vector<std::string> paths) {
  std::vector<std::string> names;
  const auto chosen = select(set, paths);
  for (const std::size_t i : chosen.value()) names.push_back(set.changes[i].path);
  return names;
}

TEST_CASE("a change set comes back from its manifest as it was, whatever bytes it has") {
  const ChangeSet set = example();
  const auto back = from_manifest(to_manifest(set));
  REQUIRE(back.has_value());
  CHECK(to_manifest(*back) == to_manifest(set));
  CHECK(back->workspace == set.workspace);
  CHECK(back->argv == set.argv);
  CHECK(back->changes[0].path == "a\nb\xff");
  CHECK(back->changes[0].after.attributes == set.changes[0].after.attributes);
  CHECK(back->changes[0].after.modified_ns == -5);
  CHECK(back->changes[2].after.target == "/etc/\x80");
  CHECK(back->changes[2].disturbed);
}

TEST_CASE("a damaged manifest is an error, never half a change set") {
  const std::string text = to_manifest(example());
  for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 3})
    CHECK_FALSE(from_manifest(text.substr(0, cut)).has_value());
  for (const char* wrong :
       {"[]", "{}", R"({"schema":"sbx.changes/2"})", R"({"schema":"sbx.changes/1","run":1})",
        R"({"schema":"sbx.changes/1","run":"r","profile":"p","workspace":{"hex":"xy"}})"})
    CHECK_FALSE(from_manifest(wrong).has_value());
}

TEST_CASE("passages are no changes, and contents count by their size") {
  const Totals sum = totals(example());
  CHECK(sum.added == 1);
  CHECK(sum.modified == 1);
  CHECK(sum.deleted == 0);
  CHECK(sum.bytes == 3);
}

TEST_CASE("paths select what is at and below them, and the folders that it needs") {
  ChangeSet set;
  set.workspace = "/w";
  set.changes.push_back(change("a", {}, folder(0755)));
  set.changes.push_back(change("a/b", {}, folder(0755)));
  set.changes.push_back(change("a/b/f", {}, file(0644, 0, "")));
  set.changes.push_back(change("ab", {}, file(0644, 0, "")));
  set.changes.push_back(change("d", folder(0555), folder(0555)));
  set.changes.back().passage = true;
  set.changes.push_back(change("d/g", {}, file(0644, 0, "")));
  using Names = std::vector<std::string>;
  CHECK(selected(set, {}).size() == 6);
  CHECK(selected(set, {"a/b/f"}) == Names{"a", "a/b", "a/b/f"});
  CHECK(selected(set, {"./a/"}) == Names{"a", "a/b", "a/b/f"});
  CHECK(selected(set, {"/w/ab"}) == Names{"ab"});
  CHECK(selected(set, {"d/g", "ab"}) == Names{"ab", "d", "d/g"});
  CHECK(selected(set, {"."}).size() == 6);
  CHECK_FALSE(select(set, std::vector<std::string>{"b"}).has_value());
  CHECK_FALSE(select(set, std::vector<std::string>{"a", "../w/a"}).has_value());
}

TEST_CASE("what an overlay obeys is not read, as an older version has kept it") {
  ChangeSet set;
  Entry old = file(0644, 1, "d");
  old.attributes = {{"user.a", "1"}, {"user.overlay.whiteout", "y"}};
  set.changes.push_back(change("f", {}, std::move(old)));
  const auto back = from_manifest(to_manifest(set));
  REQUIRE(back.has_value());
  CHECK(back->changes[0].after.attributes == std::vector<Attribute>{{"user.a", "1"}});
}

}  // namespace
}  // namespace sbx::changes
