// workspace.git: protect, as a plan.
#include <doctest/doctest.h>

#include "plan/why.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

profile::Profile protecting(profile::WorkspaceMode mode = profile::WorkspaceMode::rw) {
  profile::Profile profile;
  profile.workspace.mode = mode;
  profile.workspace.git = profile::GitMode::protect;
  profile.origins["workspace.git"] = {"team.yaml", 3, 5};
  return profile;
}

HostFacts with_repository(HostFacts facts) {
  const std::string top = facts.sources["."].path;
  facts.git = GitFacts{.places = {{top + "/.git", GitKeep::held},
                                  {top + "/.git/commondir", GitKeep::absent},
                                  {top + "/.git/config", GitKeep::locked},
                                  {top + "/.git/worktrees/b/HEAD", GitKeep::locked, false}}};
  return facts;
}

/// A worktree whose git folder is /repo/.git/worktrees/project.
HostFacts with_worktree(HostFacts facts, std::string link) {
  const std::string top = facts.sources["."].path;
  facts.git =
      GitFacts{.places = {{top + "/.git", GitKeep::locked}, {"/repo/.git/config", GitKeep::locked}},
               .folder = "/repo/.git",
               .uid = facts.euid,
               .gid = facts.egid,
               .link = std::move(link),
               .below = "/worktrees/project"};
  return facts;
}

Plan planned(const profile::Profile& profile, const HostFacts& facts) {
  auto plan = build(profile, command(), facts);
  REQUIRE_MESSAGE(plan.has_value(), (plan ? std::string() : plan.error().to_string()));
  return std::move(*plan);
}

Error refusal(const profile::Profile& profile, const HostFacts& facts) {
  auto plan = build(profile, command(), facts);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().where == "team.yaml:3:5");
  CHECK(plan.error().what.starts_with("workspace.git: protect: "));
  return plan.error();
}

bool has(const Plan& plan, const std::string& text) {
  return index_of(plan, text) != std::string::npos;
}

}  // namespace

TEST_CASE("git: what it obeys is read-only, what is around it is held, and nothing is optional") {
  const Plan plan = planned(protecting(), with_repository(host_of_user()));
  const std::size_t held = index_of(plan, "hold /workspace/.git in its place");
  const std::size_t locked = index_of(plan, "make /workspace/.git/config read-only");
  REQUIRE(locked != std::string::npos);
  CHECK(held < locked);
  CHECK(index_of(plan, "bind /home/user/project") < held);
  CHECK(has(plan, "make /workspace/.git/worktrees/b/HEAD read-only"));
  CHECK_FALSE(has(plan, "commondir"));
  for (const ProtectPath& step : steps_of<ProtectPath>(plan))
    CHECK(step.optional == step.path.starts_with("/proc"));
  CHECK(plan.steps[locked].origin.to_string() == "team.yaml:3:5");
  CHECK(std::ranges::find(plan.isolation.enforced, "git") != plan.isolation.enforced.end());
}

/// Of submodules' git folders: one that is there, and none that is to come.
HostFacts with_submodule(HostFacts facts) {
  facts = with_repository(std::move(facts));
  const std::string modules = facts.sources["."].path + "/.git/modules";
  facts.git->places.push_back({modules, GitKeep::closed});
  facts.git->places.push_back({modules + "/a", GitKeep::held});
  facts.git->places.push_back({modules + "/a/config", GitKeep::locked});
  return facts;
}

TEST_CASE("git: beside the submodules that are there none is made") {
  const Plan plan = planned(protecting(), with_submodule(host_of_user()));
  const std::size_t held = index_of(plan, "hold /workspace/.git/modules/a in its place");
  const std::size_t closed = index_of(plan, "make /workspace/.git/modules read-only");
  REQUIRE(closed != std::string::npos);
  CHECK(index_of(plan, "hold /workspace/.git/modules in its place") < held);
  CHECK(held < closed);
  const auto verdict = [&](const char* path) {
    return why(protecting(), plan, std::string("path:/workspace/.git/modules") + path)->verdict;
  };
  CHECK(verdict("") == Verdict::partly);
  CHECK(verdict("/b/hooks") == Verdict::partly);
  CHECK(verdict("/a/index") == Verdict::allowed);
  CHECK(verdict("/a/config") == Verdict::partly);
}

TEST_CASE("git: what cannot be mounted over is watched on the host, not what git itself replaces") {
  const auto& watched = planned(protecting(), with_repository(host_of_user())).supervision.watched;
  REQUIRE(watched.size() == 3);
  CHECK(watched[0].folder == "/home/user/project");
  CHECK(watched[0].name == ".git");
  CHECK(watched[1].name == "commondir");
  CHECK(watched[1].absent);
  CHECK_FALSE(watched[2].absent);
}

TEST_CASE("git: an overlay needs no watch, nothing of it reaches the host") {
  const Plan plan = planned(protecting(profile::WorkspaceMode::overlay),
                            with_worktree(host_of_user(), "/repo/.git/worktrees/project"));
  CHECK(plan.supervision.watched.empty());
  CHECK(steps_of<MountOverlay>(plan).size() == 2);
  CHECK(has(plan, "overlay at /repo/.git"));
  CHECK(has(plan, "make /repo/.git/config read-only"));
}

TEST_CASE("git: a worktree's git folder appears where .git says") {
  const Plan plan =
      planned(protecting(), with_worktree(host_of_user(), "/repo/.git/worktrees/project"));
  CHECK(has(plan, "bind /repo/.git writable"));
  CHECK(has(plan, "make /repo/.git/config read-only"));
  CHECK(has(plan, "link /home/user/project to /workspace"));
  const Plan beside =
      planned(protecting(), with_worktree(host_of_user(), "../../../x/.git/worktrees/project"));
  CHECK(has(beside, "bind /repo/.git at /x/.git writable"));
  CHECK(has(beside, "make /x/.git/config read-only"));
}

TEST_CASE("git: a submodule's git folder finds its work tree") {
  HostFacts facts = with_worktree(host_of_user(), "../.git/modules/sub");
  facts.git->below = "";
  facts.git->work_tree = "../../../sub";
  CHECK(has(planned(protecting(), facts), "link /sub to /workspace"));
}

TEST_CASE("git: started by root, the git folder is shown as the workspace is") {
  const Plan plan =
      planned(protecting(), with_worktree(host_of_root(), "/repo/.git/worktrees/project"));
  const auto trees = steps_of<DetachTree>(plan);
  const auto git = std::ranges::find(trees, "/repo/.git", &DetachTree::source);
  REQUIRE(git != trees.end());
  CHECK(git->idmap);
}

TEST_CASE("git: without the key, or where nothing is written, there is nothing to do") {
  profile::Profile profile = protecting();
  profile.workspace.git = profile::GitMode::none;
  CHECK_FALSE(has(planned(profile, with_repository(host_of_user())), ".git"));
  CHECK_FALSE(has(planned(protecting(profile::WorkspaceMode::ro), host_of_user()), ".git"));
}

TEST_CASE("git: what was found wrong is told with the key's place") {
  HostFacts facts = host_of_user();
  facts.git = GitFacts{.refused = Error{.kind = ErrorKind::host, .what = "/x: no", .hint = "do"}};
  const Error error = refusal(protecting(), facts);
  CHECK(error.what == "workspace.git: protect: /x: no");
  CHECK(error.hint == "do");
  CHECK(refusal(protecting(), host_of_user()).kind == ErrorKind::internal);
}

TEST_CASE("git: a place of the sandbox's own is not given away") {
  for (const char* link :
       {"/proc/worktrees/project", "/etc/x/worktrees/project", "worktrees/project",
        "../worktrees/project", "/workspace/x/worktrees/project", "/repo/.git/worktrees/other"})
    CHECK(refusal(protecting(), with_worktree(host_of_user(), link)).what.contains("is taken"));
}

TEST_CASE("git: a mount that shows or covers what is kept is refused by its place") {
  profile::Profile profile = protecting();
  profile.origins["mounts[0]"] = {"team.yaml", 7, 5};
  HostFacts facts = with_repository(host_of_user());
  facts.sources["/home"] = {true, EntryType::directory, "/home", 1234, 1234, "", ""};
  profile.mounts = {{profile::BindMount{"/home", "/", "/h", true, false}, {}}};
  CHECK(refusal(profile, facts).what.contains("writable at /h (team.yaml:7:5)"));
  profile.mounts = {{profile::TmpfsMount{.target = "/workspace/.git"}, {}}};
  CHECK(refusal(profile, facts).what.contains("puts something at /workspace/.git"));
  profile.mounts = {{profile::BindMount{"/home", "/", "/h", false, false}, {}}};
  CHECK(build(profile, command(), facts).has_value());
}

TEST_CASE("git: tier landlock cannot keep it, and says so") {
  profile::Profile profile = protecting();
  profile.degrade = {"userns"};
  HostFacts facts = with_repository(host_of_user());
  facts.no_namespaces = NoNamespaces{Feature::user_namespace, 1};
  facts.temporary = "/tmp";
  const auto plan = build(profile, command(), facts);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().what.contains("workspace.git (team.yaml:3:5)"));
}

TEST_CASE("git: --why names the key") {
  const profile::Profile profile = protecting();
  const Plan plan = planned(profile, with_repository(host_of_user()));
  const auto ask = [&](const char* path) {
    auto answer = why(profile, plan, std::string("path:/workspace/.git/") + path);
    REQUIRE(answer.has_value());
    return *answer;
  };
  CHECK(ask("config").verdict == Verdict::partly);
  CHECK(ask("config").key == "workspace.git");
  CHECK(ask("config").allow_with == "workspace: {git: none}");
  CHECK(ask("index").verdict == Verdict::allowed);
  CHECK(ask("commondir").verdict == Verdict::denied);
  CHECK(ask("commondir").origin.to_string() == "team.yaml:3:5");
}
