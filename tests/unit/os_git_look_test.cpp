// Which places of a work tree git obeys, found in repositories that are written by hand.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "../support/temp_tree.hpp"
#include "os/git_links.hpp"
#include "os/git_look.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)
using test::TempTree;

namespace {

void make_repository(const TempTree& tree, const std::string& folder) {
  tree.file(folder + "/HEAD", "ref: refs/heads/main\n");
  tree.file(folder + "/config", "[core]\n");
  for (const char* inner : {"/objects/info", "/refs", "/hooks"}) tree.folder(folder + inner);
}

GitFacts look(const TempTree& tree, const std::string& top, const std::string& home = {}) {
  SourceFacts workspace;
  workspace.path = tree.path(top);
  workspace.uid = ::getuid();
  HostFacts host;
  host.euid = ::geteuid();
  host.home = home;
  return os::look_at_git(workspace, host);
}

/// "held .git", "locked .git/config", in order; unwatched ones with a '*'.
std::vector<std::string> kept(const TempTree& tree, const GitFacts& facts) {
  CHECK_MESSAGE(!facts.refused, (facts.refused ? facts.refused->to_string() : ""));
  std::vector<std::string> all;
  for (const GitPlace& place : facts.places) {
    const std::string path = place.path.substr(tree.path().size() + 1);
    const char* how = place.keep == GitKeep::held     ? "held "
                      : place.keep == GitKeep::closed ? "closed "
                      : place.keep == GitKeep::locked ? "locked "
                                                      : "absent ";
    all.push_back(how + path + (place.watched ? "" : "*"));
  }
  return all;
}

bool keeps(const std::vector<std::string>& all, const std::string& entry) {
  return std::ranges::find(all, entry) != all.end();
}

std::string refusal(const GitFacts& facts) {
  REQUIRE(facts.refused);
  return facts.refused->what;
}

}  // namespace

TEST_CASE("git look: a plain repository") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  tree.folder("w/.git/branches");
  CHECK(kept(tree, look(tree, "w")) ==
        std::vector<std::string>{
            "held w/.git", "locked w/.git/branches", "absent w/.git/commondir",
            "locked w/.git/config", "absent w/.git/config.worktree", "locked w/.git/hooks",
            "absent w/.git/modules", "held w/.git/objects", "held w/.git/objects/info",
            "absent w/.git/objects/info/alternates", "absent w/.git/remotes", "absent w/HEAD"});
  tree.file("w/.git/branches/origin", "URL: /elsewhere\n");
  CHECK(refusal(look(tree, "w")).contains("branches"));
}

TEST_CASE("git look: submodules and worktrees of it") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  make_repository(tree, "w/.git/modules/a/b");
  tree.file("w/.git/worktrees/x/gitdir", "/nowhere/.git\n");
  tree.file("w/.git/worktrees/x/HEAD", "0\n");
  const auto all = kept(tree, look(tree, "w"));
  for (const char* entry :
       {"closed w/.git/modules", "closed w/.git/modules/a", "held w/.git/modules/a/b",
        "locked w/.git/modules/a/b/config", "absent w/.git/modules/a/b/commondir",
        "absent w/.git/modules/a/b/modules", "held w/.git/worktrees/x",
        "absent w/.git/worktrees/x/modules", "locked w/.git/worktrees/x/gitdir",
        "locked w/.git/worktrees/x/HEAD*"})
    CHECK_MESSAGE(keeps(all, entry), entry);
}

TEST_CASE("git look: the .git of a submodule's work tree") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  make_repository(tree, "w/.git/modules/a");
  tree.file("w/.git/modules/a/config", "[core]\n\tworktree = ../../../in/a\n");
  CHECK_FALSE(keeps(kept(tree, look(tree, "w")), "absent w/in/a/.git"));  // nor is w/in/a there
  tree.folder("w/in/a");
  CHECK(keeps(kept(tree, look(tree, "w")), "absent w/in/a/.git"));
  tree.file("w/in/a/.git", "gitdir: ../../.git/modules/a\n");
  const auto all = kept(tree, look(tree, "w"));
  for (const char* entry : {"locked w/in/a/.git", "held w/in/a", "held w/in"})
    CHECK_MESSAGE(keeps(all, entry), entry);
  tree.file("w/in/a/.git", "gitdir: ../../evil\n");
  CHECK(refusal(look(tree, "w")).contains("it leads to "));
  std::filesystem::remove(tree.path("w/in/a/.git"));
  make_repository(tree, "w/in/a/.git");
  CHECK(keeps(kept(tree, look(tree, "w")), "locked w/in/a/.git/config"));
  // Of another work tree, which the sandbox does not have.
  tree.file("w/.git/modules/a/config", "[core]\n\tworktree = ../../../../x/a\n");
  CHECK_FALSE(keeps(kept(tree, look(tree, "w")), "locked w/in/a/.git/config"));
}

TEST_CASE("git look: a worktree shows the repository that it is of") {
  const TempTree tree;
  make_repository(tree, "r/.git");
  tree.file("r/.git/worktrees/w/HEAD", "0\n");
  tree.file("r/.git/worktrees/w/commondir", "../..\n");
  tree.file("r/.git/worktrees/w/gitdir", tree.path("w/.git") + "\n");
  tree.file("w/.git", "gitdir: ../r/.git/worktrees/w\n");
  const GitFacts facts = look(tree, "w");
  const auto all = kept(tree, facts);
  CHECK(facts.folder == tree.path("r/.git"));
  CHECK(facts.below == "/worktrees/w");
  CHECK(facts.link == "../r/.git/worktrees/w");
  CHECK(keeps(all, "locked w/.git"));
  CHECK(keeps(all, "locked r/.git/config"));
  CHECK_FALSE(keeps(all, "locked r/.git/worktrees/w/HEAD*"));
  CHECK_FALSE(keeps(all, "held r/.git"));  // a mount of its own

  tree.file("r/.git/worktrees/w/gitdir", tree.path("v/.git") + "\n");
  CHECK(refusal(look(tree, "w")).contains("as its work tree"));
}

TEST_CASE("git look: files that configurations name") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  tree.file("w/.git/config", "[include]\n\tpath = ../team/config\n\tpath = /etc/hostname\n");
  tree.file("w/team/config", "[core]\n\thooksPath = hooks.d\n[include]\n\tpath = config\n");
  tree.folder("w/hooks.d");
  tree.link("w/hooks.d/pre-commit", "../check");
  tree.file("w/check", "");
  tree.file("home/.gitconfig", "[include]\n\tpath = ~/more\n");
  tree.link("home/more", tree.path("w/more"));
  tree.file("w/more", "");
  const auto all = kept(tree, look(tree, "w", tree.path("home")));
  for (const char* entry : {"held w/team", "locked w/team/config", "locked w/hooks.d",
                            "locked w/check", "locked w/more"})
    CHECK_MESSAGE(keeps(all, entry), entry);
}

TEST_CASE(
    "git look: the caller's own configuration, where it lies in the work tree or is a link to it") {
  const TempTree tree;
  make_repository(tree, "home/.config/.git");
  const auto own = [&] { return kept(tree, look(tree, "home/.config", tree.path("home"))); };
  CHECK(keeps(own(), "absent home/.config/git"));
  tree.folder("home/.config/git");
  CHECK(keeps(own(), "absent home/.config/git/config"));
  tree.file("home/.config/git/config", "[include]\n\tpath = more\n");
  CHECK(keeps(own(), "locked home/.config/git/config"));
  CHECK(keeps(own(), "absent home/.config/git/more"));
  tree.file("home/.config/dot", "");
  tree.link("home/.gitconfig", tree.path("home/.config/dot"));
  CHECK(keeps(own(), "locked home/.config/dot"));
  std::filesystem::remove(tree.path("home/.config/dot"));
  CHECK(keeps(own(), "absent home/.config/dot"));
  std::filesystem::remove(tree.path("home/.gitconfig"));
  tree.link("home/.gitconfig", ".config/later/dot");
  CHECK(keeps(own(), "absent home/.config/later"));
}

TEST_CASE("git look: links in hooks that lie elsewhere lead into the work tree") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  tree.file("w/.git/config", "[core]\n\thooksPath = " + tree.path("hooks") + "\n");
  tree.file("w/check", "");
  tree.link("hooks/pre-commit", tree.path("w/check"));
  tree.link("hooks/post-commit", "/nowhere");
  tree.link("hooks/self", ".");
  tree.link("hooks/again", tree.path("w/scripts"));
  tree.link("w/scripts/again", ".");
  CHECK(keeps(kept(tree, look(tree, "w")), "locked w/check"));
}

TEST_CASE("git look: what is named and missing must not appear; its folder has to be there") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  tree.file("w/.git/config", "[include]\n\tpath = ../later\n");
  CHECK(keeps(kept(tree, look(tree, "w")), "absent w/later"));
  tree.file("w/.git/config", "[include]\n\tpath = ../no/later\n");
  CHECK(refusal(look(tree, "w")).contains("does not exist"));
}

TEST_CASE("git look: the top never becomes a bare repository, and a damaged one is none") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  CHECK(keeps(kept(tree, look(tree, "w")), "absent w/HEAD"));
  tree.file("w/HEAD", "");
  CHECK(keeps(kept(tree, look(tree, "w")), "absent w/refs"));
  CHECK(keeps(kept(tree, look(tree, "w")), "absent w/commondir"));
  tree.file("w/commondir", "x\n");
  CHECK(refusal(look(tree, "w")).contains("commondir"));
  std::filesystem::remove(tree.path("w/commondir"));
  tree.folder("w/refs");
  CHECK(keeps(kept(tree, look(tree, "w")), "absent w/objects"));
  tree.folder("w/objects");
  CHECK(refusal(look(tree, "w")).contains("bare repository"));
  std::filesystem::remove(tree.path("w/HEAD"));
  make_repository(tree, "w/.git/modules/sub");
  std::filesystem::remove(tree.path("w/.git/modules/sub/HEAD"));
  CHECK(refusal(look(tree, "w")).contains("modules/sub"));
}

TEST_CASE("git look: links, through which git would write") {
  const TempTree tree;
  make_repository(tree, "w/.git");
  tree.folder("w/.git/objects/pack");
  tree.link("w/.git/objects/aa/fine", "/etc");
  for (const char* place :
       {"w/.git/objects/pack/multi-pack-index", "w/.git/objects/info/commit-graph",
        "w/.git/objects/info/commit-graphs/commit-graph-chain"}) {
    tree.link(place, "/etc/none");
    CHECK(refusal(look(tree, "w")).contains(std::string(place).substr(7)));
    std::filesystem::remove(tree.path(place));
  }
  tree.link("w/.git/objects/ab", "/etc");
  CHECK(refusal(look(tree, "w")).contains("objects/ab"));
  std::filesystem::remove(tree.path("w/.git/objects/ab"));
  tree.link("w/.git/lfs", "/nowhere");
  CHECK(refusal(look(tree, "w")).contains("lfs"));
  std::filesystem::remove(tree.path("w/.git/lfs"));
  CHECK_FALSE(look(tree, "w").refused);
  tree.link("w/.git/logs/refs/heads/hooks/x", "/etc/passwd");
  CHECK(refusal(look(tree, "w")).contains("logs/refs/heads/hooks/x"));
  const os::GitLinks gone = os::find_git_links(tree.path("w/.git"), true);
  CHECK(gone.whole);
  CHECK(gone.paths == std::vector<std::string>{"logs/refs/heads/hooks/x"});
  CHECK(os::find_git_links(tree.path("w/.git"), true).paths.empty());
  CHECK_FALSE(os::find_git_links(tree.path("w/none"), true).whole);
}
