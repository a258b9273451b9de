#include <doctest/doctest.h>

#include <map>

#include "learn/missing_files.hpp"
#include "plan_testing.hpp"
#include "profile_testing.hpp"

namespace {

using namespace sbx;
using learn::HostPath;

learn::FileNeeds needs_of(const std::vector<std::pair<std::string, bool>>& named,
                          const std::map<std::string, HostPath>& host = {}) {
  sbx::profile::LoadRequest request;
  const auto profile = sbx::testing::load_files({}, request);
  REQUIRE(profile.has_value());
  const auto plan =
      plan::build(*profile, plan::testing::command({"x"}), plan::testing::host_of_user());
  REQUIRE(plan.has_value());
  supervise::Observations seen;
  for (const auto& [path, changes] : named) seen.paths[path] = {"prog", changes};
  return learn::file_needs(*profile, *plan, seen, [&host](const std::string& path) {
    const auto found = host.find(path);
    return found == host.end() ? HostPath::shared : found->second;
  });
}

std::vector<std::string> missing(const learn::FileNeeds& needs) {
  std::vector<std::string> paths;
  for (const learn::Missing& one : needs.missing) paths.push_back(one.path);
  return paths;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("what the plan shows is not missing, what the host lacks neither") {
  CHECK(
      missing(needs_of({{"/usr/bin/ls", false}, {"/tmp/x", true}, {"/proc/self", false}})).empty());
  CHECK(missing(needs_of({{"/opt/x", false}}, {{"/opt/x", HostPath::absent}})).empty());
  CHECK(missing(needs_of({{"/opt/x", false}})) == Paths{"/opt/x"});
}

TEST_CASE("several of one folder become the folder, one stays itself") {
  CHECK(missing(needs_of({{"/opt/t/a", false}, {"/opt/t/b", false}, {"/opt/u/c", false}})) ==
        Paths{"/opt/t", "/opt/u/c"});
  CHECK(
      missing(needs_of({{"/opt/t/lib/a", false}, {"/opt/t/lib/b", false}, {"/opt/t/c", false}})) ==
      Paths{"/opt/t"});
  CHECK(missing(needs_of({{"/opt/t", false}, {"/opt/t/a", false}})) == Paths{"/opt/t"});
  CHECK(missing(needs_of({{"/opt/a", false}, {"/opt/b", false}})) == Paths{"/opt/a", "/opt/b"});
}

TEST_CASE("a folder of everybody's, or all of somebody's, is never named") {
  CHECK(missing(needs_of({{"/home", false},
                          {"/home/ada", false},
                          {"/opt", false},
                          {"/var/lib", false},
                          {"/root", false},
                          {"/etc", false}}))
            .empty());
  const auto wide = needs_of({{"/opt", false}, {"/home/ada", false}, {"/sys/kernel/debug", false}},
                             {{"/home/ada", HostPath::absent}});
  REQUIRE(wide.too_wide.size() == 2);
  CHECK(wide.too_wide[0].path == "/opt");
  CHECK(wide.too_wide[1].path == "/sys/kernel/debug");
  CHECK(missing(needs_of({{"/home/ada/a", false}, {"/home/ada/b", false}})) ==
        Paths{"/home/ada/a", "/home/ada/b"});
}

TEST_CASE("a folder with something that is not for everybody is not gathered") {
  const auto needs = needs_of({{"/srv/t/a", false}, {"/srv/t/b", false}, {"/srv/t/c", false}},
                              {{"/srv/t/b", HostPath::own}});
  REQUIRE(missing(needs) == Paths{"/srv/t/a", "/srv/t/b", "/srv/t/c"});
  CHECK(needs.missing[0].standing == HostPath::shared);
  CHECK(needs.missing[1].standing == HostPath::own);
  CHECK(needs.missing[0].comm == "prog");
  CHECK(missing(needs_of({{"/srv/t/a", false}, {"/srv/t/c", false}},
                         {{"/srv/t", HostPath::own}})) == Paths{"/srv/t/a", "/srv/t/c"});
  CHECK(needs_of({{"/srv/t/a", false}, {"/srv/t/c", false}}).missing[0].named == 2);
}

TEST_CASE("what YAML or a terminal would take for something else is for a person to decide") {
  for (const char* name : {"/srv/${HOME}", "/srv/a\"b", "/srv/a#b", "/srv/a\nb", "/srv/\u202e"})
    CHECK_MESSAGE(needs_of({{name, false}}).missing[0].standing == HostPath::own, name);
}

TEST_CASE("writing") {
  const auto needs =
      needs_of({{"/workspace/out", true}, {"/usr/x", true}, {"/workspace/in", false}});
  CHECK(needs.workspace_written);
  CHECK(needs.refused == Paths{"/usr/x"});
  CHECK_FALSE(needs_of({{"/workspace/in", false}}).workspace_written);
}
