// What the plan contains for whom: one promise a test.
#include <doctest/doctest.h>

#include <cerrno>

#include "plan/kinds.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

Plan planned(const profile::Profile& profile, const HostFacts& facts) {
  auto plan = build(profile, command(), facts);
  REQUIRE_MESSAGE(plan.has_value(), (plan ? std::string() : plan.error().to_string()));
  return std::move(*plan);
}

profile::BindMount bind(std::string source, std::string target, bool writable = false) {
  return {std::move(source), "/home/user/project", std::move(target), writable, false};
}

}  // namespace

TEST_CASE("started by root, the payload gets a host id of its own and no groups") {
  const Plan plan = planned({}, host_of_root());
  CHECK(steps_of<ReserveHostId>(plan).size() == 1);
  CHECK(steps_of<WriteIdMaps>(plan).at(0).reserved);
  CHECK(steps_of<WriteIdMaps>(plan).at(0).inner_uid == 1000);
  CHECK(steps_of<BecomeInnerIds>(plan).at(0).drop_groups);
}

TEST_CASE("started by an ordinary user, the payload keeps that user's id") {
  const Plan plan = planned({}, host_of_user());
  CHECK(steps_of<ReserveHostId>(plan).empty());
  CHECK_FALSE(steps_of<WriteIdMaps>(plan).at(0).reserved);
  CHECK(steps_of<WriteIdMaps>(plan).at(0).inner_uid == 1234);
}

TEST_CASE("started by root, folders of the caller's are opened by the supervisor and id-mapped") {
  const Plan plan = planned({}, host_of_root());
  const auto trees = steps_of<DetachTree>(plan);
  REQUIRE(trees.size() == 1);
  CHECK(trees[0].source == "/srv/project");
  CHECK(trees[0].idmap);
  CHECK(steps_of<AttachTree>(plan).at(0).target == "/workspace");
}

TEST_CASE("the workspace is read-only unless the profile says otherwise") {
  profile::Profile profile;
  const Plan read_only = planned(profile, host_of_user());
  CHECK(index_of(read_only, "bind /home/user/project at /workspace read-only") !=
        std::string::npos);
  profile.workspace.mode = profile::WorkspaceMode::rw;
  const Plan writable = planned(profile, host_of_user());
  CHECK(index_of(writable, "at /workspace writable, nosuid, nodev") != std::string::npos);
}

TEST_CASE("an overlay of a group that the sandbox does not have is told of to an ordinary user") {
  profile::Profile profile;
  const auto warnings = [&profile](HostFacts facts, profile::WorkspaceMode mode) {
    profile.workspace.mode = mode;
    facts.sources["."].gid = 50;
    return planned(profile, facts).warnings;
  };
  using enum profile::WorkspaceMode;
  CHECK(warnings(host_of_root(), overlay).empty());
  CHECK(warnings(host_of_user(), rw).empty());
  const auto told = warnings(host_of_user(), overlay);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("is 50, which") != std::string::npos);
  CHECK(told[0].ends_with("chgrp -R 1234 /home/user/project"));
}

TEST_CASE("home, what is above it and / are not shown unless somebody names them") {
  for (const char* path : {"/home/user", "/home", "/"}) {
    HostFacts facts = host_of_user();
    facts.sources["."].path = path;
    const Plan plan = planned({}, facts);
    CHECK(plan.warnings.size() == 1);
    for (const BindTree& tree : steps_of<BindTree>(plan)) CHECK(tree.target != "/workspace");
    profile::Profile named;
    named.workspace.named = true;
    const Plan explicit_plan = planned(named, facts);
    CHECK(explicit_plan.warnings.empty());
  }
}

TEST_CASE("a folder directly below / may be the home when none is known") {
  for (const auto& [path, shown] :
       {std::pair{"/", false}, {"/home", false}, {"/var", false}, {"/home/user", true}}) {
    HostFacts facts = host_of_user();
    facts.homes.clear();
    facts.sources["."].path = path;
    CHECK_MESSAGE(planned({}, facts).warnings.empty() == shown, path);
  }
  HostFacts known = host_of_user();
  known.homes = {"/home/user", "/"};
  known.sources["."].path = "/app";
  CHECK(planned({}, known).warnings.empty());
}

TEST_CASE("a missing bind source is an error with its place, unless it is optional") {
  profile::Profile profile;
  profile.mounts.push_back({bind("./gone", "/data"), {"p.yaml", 3, 5}});
  profile.origins["mounts[0]"] = {"p.yaml", 3, 5};
  const auto refused = build(profile, command(), host_of_user());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().where == "p.yaml:3:5");
  std::get<profile::BindMount>(profile.mounts[0].what).optional = true;
  CHECK(build(profile, command(), host_of_user()).has_value());
}

TEST_CASE("mounts inside other mounts come after them") {
  profile::Profile profile;
  HostFacts facts = host_of_user();
  facts.sources["in"] = {true, EntryType::directory, "/srv/in", 0, 0, "8:0", ""};
  facts.sources["out"] = {true, EntryType::directory, "/srv/out", 0, 0, "8:0", ""};
  profile.mounts.push_back({bind("in", "/data/deep/in"), {}});
  profile.mounts.push_back({bind("out", "/data"), {}});
  const Plan plan = planned(profile, facts);
  CHECK(index_of(plan, "/srv/out at /data") < index_of(plan, "/srv/in at /data/deep/in"));
}

TEST_CASE("nothing is ever made inside a tree of the host's") {
  profile::Profile profile;
  HostFacts facts = host_of_user();
  facts.sources["in"] = {true, EntryType::directory, "/srv/in", 0, 0, "8:0", ""};
  profile.mounts.push_back({bind("in", "/usr/share/in"), {}});
  profile.mounts.push_back({bind("in", "/workspace/sub"), {}});
  const Plan plan = planned(profile, facts);
  for (const MakeDir& folder : steps_of<MakeDir>(plan)) {
    CHECK_FALSE(folder.path.starts_with("/usr/"));
    CHECK_FALSE(folder.path.starts_with("/workspace/"));
  }
}

TEST_CASE("no network namespace of its own means network: host, and nothing else does") {
  profile::Profile profile;
  const auto has_net = [](const Plan& plan) {
    const auto& names = plan.isolation.namespaces;
    return std::ranges::find(names, "net") != names.end();
  };
  CHECK(has_net(planned(profile, host_of_user())));
  profile.network.mode = profile::NetworkMode::host;
  const Plan shared = planned(profile, host_of_user());
  CHECK_FALSE(has_net(shared));
  CHECK(steps_of<NewNetwork>(shared).empty());
  CHECK(steps_of<RaiseLoopback>(shared).empty());
  CHECK(steps_of<EnterNetwork>(shared).empty());
}

TEST_CASE("a filtered network is the profile's list, and no other has one") {
  profile::Profile profile;
  CHECK_FALSE(planned(profile, host_of_user()).egress.has_value());
  profile.network.mode = profile::NetworkMode::filtered;
  CHECK(planned(profile, host_of_user()).egress->allow.empty());
  profile.network.allow = {"example.org:443"};
  profile.network.deny = {"private", "10.0.0.0/8:*"};
  profile.network.publish = {"8080:80"};
  profile.network.limits.down = 1000;
  const Plan plan = planned(profile, host_of_user());
  CHECK(plan.egress->allow.at(0).text == "example.org:443");
  CHECK(plan.egress->deny.size() == 1);
  CHECK(plan.egress->deny_classes.size() == 1);
  CHECK(plan.egress->publish.at(0).port == 80);
  CHECK(plan.egress->limits.connections == 512);
  CHECK(plan.egress->limits.down == 1000U);
  CHECK(describe_text(plan).contains("network:   allow example.org:443\n"));
  profile.network.allow = {"example.org"};  // no profile that was checked
  CHECK_FALSE(build(profile, command(), host_of_user()).has_value());
}

TEST_CASE("explain has all of what the filter is told") {
  profile::Profile profile;
  profile.seccomp.deny = {"chmod"};
  profile.seccomp.args = {{"socket", 0, {1, 16}}};
  const Plan plan = planned(profile, host_of_user());
  CHECK(describe_text(plan).contains("; deny chmod; socket only with argument 0 in 1, 16; denied"));
  CHECK(describe_json(plan).contains(R"("args":[{"call":"socket","arg":0,"in":[1,16]}],)"));
}

TEST_CASE("a proxy is the profile's or the caller's, and its password is not shown") {
  profile::Profile profile;
  profile.network.mode = profile::NetworkMode::filtered;
  HostFacts facts = host_of_user();
  facts.env = {{"HTTPS_PROXY", "http://me:hunter2@proxy:3128"}, {"NO_PROXY", "a.org,10.0.0.0/8"}};
  CHECK_FALSE(planned(profile, facts).egress->proxy.has_value());
  profile.network.proxy = "env";
  const Plan plan = planned(profile, facts);
  CHECK(plan.egress->proxy->credentials == "me:hunter2");
  CHECK(plan.egress->proxy->bypass.size() == 2);
  CHECK(describe_text(plan).contains("http://***@proxy:3128"));
  CHECK_FALSE(describe_text(plan).contains("hunter2"));
  CHECK_FALSE(describe_json(plan).contains("hunter2"));
  facts.env = {{"HTTPS_PROXY", ""}, {"all_proxy", "http://other:80"}};
  CHECK(planned(profile, facts).egress->proxy->host == "other");
  CHECK_FALSE(planned(profile, host_of_user()).egress->proxy.has_value());
  facts.env = {{"https_proxy", "socks5://me:hunter2@proxy:1"}};
  const auto refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.contains("https_proxy is a SOCKS proxy"));
  CHECK_FALSE(refused.error().to_string().contains("hunter2"));
}

TEST_CASE("Landlock is used where it is, and asked for it is required") {
  HostFacts none = host_of_user();
  none.landlock_abi = 0;
  profile::Profile profile;
  CHECK(steps_of<ApplyLandlock>(planned(profile, host_of_user())).size() == 1);
  CHECK(steps_of<ApplyLandlock>(planned(profile, none)).empty());
  profile.landlock = profile::LandlockMode::require;
  CHECK_FALSE(build(profile, command(), none).has_value());
  profile.degrade = {"landlock"};
  CHECK(planned(profile, none).isolation.degraded == std::vector<std::string>{"landlock"});
}

TEST_CASE("only a folder that cannot be id-mapped goes without, and is named") {
  profile::Profile profile;
  profile.workspace.mode = profile::WorkspaceMode::rw;
  profile.mounts = {{.what = bind("/nfs", "/data"), .origin = {}},
                    {.what = bind("/mixed", "/mix"), .origin = {}}};
  profile.origins["mounts[0]"] = Origin{"p.yaml", 4, 5};
  const auto facts = [](HostFacts host) {
    host.sources["/nfs"] = {true, EntryType::directory, "/nfs", 7, 7, "", ""};
    host.sources["/mixed"] = {true, EntryType::directory, "/mixed", 7, 7, "", ""};
    host.no_idmap = {{"/nfs", {EINVAL, ""}}, {"/mixed", {EPERM, "/mixed/in"}}};
    return host;
  };
  profile.degrade = {"idmap"};
  const Plan root = planned(profile, facts(host_of_root()));
  CHECK(root.isolation.degraded == std::vector<std::string>{"idmap"});
  for (const DetachTree& tree : steps_of<DetachTree>(root)) {
    CAPTURE(tree.source);
    CHECK(tree.idmap == (tree.source == "/srv/project"));
  }
  CHECK(root.warnings ==
        std::vector<std::string>{
            "owners in /nfs (p.yaml:4:5) show as they are on disk: its file system cannot be "
            "id-mapped (EINVAL)",
            "owners in /mixed (the default) show as they are on disk: what is mounted in it, at "
            "/mixed/in, cannot be id-mapped (EPERM)"});
  CHECK(planned(profile, facts(host_of_user())).isolation.degraded.empty());
  // Unasked every folder keeps its map, also one that is known to refuse: the start fails.
  profile.degrade = {};
  const Plan strict = planned(profile, facts(host_of_root()));
  CHECK(strict.isolation.degraded.empty());
  for (const DetachTree& tree : steps_of<DetachTree>(strict)) CHECK(tree.idmap);
}

TEST_CASE("where every folder can be id-mapped, degrade: idmap takes nothing away") {
  profile::Profile profile;
  profile.degrade = {"idmap"};
  const Plan plan = planned(profile, host_of_root());
  CHECK(plan.isolation.degraded.empty());
  REQUIRE(steps_of<DetachTree>(plan).size() == 1);
  CHECK(steps_of<DetachTree>(plan).front().idmap);
}

TEST_CASE("the environment is empty but for a few, and what the profile passes and sets") {
  HostFacts facts = host_of_user();
  facts.env = {{"SECRET", "s"}, {"LANG", "de_DE.UTF-8"}, {"PATH", "/home/user/bin"}};
  profile::Profile profile;
  profile.env.pass = {"LANG", "ABSENT"};
  profile.env.set = {{"A", "1"}};
  const Plan plan = planned(profile, facts);
  const auto has = [&](const char* text) {
    return std::ranges::find(plan.env, text) != plan.env.end();
  };
  CHECK(has("LANG=de_DE.UTF-8"));
  CHECK(has("A=1"));
  CHECK_FALSE(has("SECRET=s"));
  CHECK(has("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
  CHECK(plan.env.size() == 7);
}

TEST_CASE("no command is an error that says where to write one") {
  const auto refused = build({}, command({}), host_of_user());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::usage);
}

TEST_CASE("explain words every step of every plan, as text and as JSON") {
  for (const HostFacts& facts : {host_of_user(), host_of_root(), hybrid(host_of_root())}) {
    const Plan plan = planned({}, facts);
    const std::string text = describe_text(plan);
    for (const Step& step : plan.steps) {
      CHECK_FALSE(describe(step.action).empty());
      CHECK_FALSE(step.reason.empty());
      CHECK(text.find(describe(step.action)) != std::string::npos);
    }
    CHECK(describe_json(plan).starts_with("{\"schema\":\"sbx.plan/1\""));
  }
}
