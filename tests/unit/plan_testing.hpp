// A host and an invocation for plan tests, and ways to look into a plan.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan/build.hpp"
#include "plan/describe.hpp"
#include "plan/kinds.hpp"

namespace sbx::plan::testing {

inline HostFacts host_of_user() {
  HostFacts facts;
  facts.euid = 1234;
  facts.egid = 1234;
  facts.cwd = "/home/user/project";
  facts.home = "/home/user";
  facts.homes = {"/home/user"};
  facts.landlock_abi = 6;
  facts.swap_accounting = true;
  facts.cpus_online = 4;
  facts.host_id_first = 2'000'000'000;
  facts.host_id_count = 10;
  facts.cgroups.push_back({.version = 2,
                           .mount = "/sys/fs/cgroup",
                           .group = "/user.slice/app",
                           .way = CgroupWay::leaf,
                           .controllers = {"memory", "pids", "cpu", "cpuset", "io"}});
  facts.root_entries = {{"/usr", EntryType::directory, "/usr", ""},
                        {"/bin", EntryType::symlink, "", "usr/bin"},
                        {"/etc/ssl/certs", EntryType::directory, "/etc/ssl/certs", ""}};
  facts.sources["."] = {true, EntryType::directory, "/home/user/project", 1234, 1234, "8:0", ""};
  return facts;
}

inline HostFacts host_of_root() {
  HostFacts facts = host_of_user();
  facts.euid = 0;
  facts.egid = 0;
  facts.home = "/root";
  facts.homes = {"/root"};
  facts.sources["."] = {true, EntryType::directory, "/srv/project", 0, 0, "8:0", ""};
  return facts;
}

/// v1 hierarchies, one a controller, and v2 without any, as on a hybrid host.
inline HostFacts hybrid(HostFacts facts) {
  facts.cgroups = {{.version = 2, .mount = "/sys/fs/cgroup/unified", .group = "/"}};
  for (const char* name : {"memory", "pids", "cpu", "cpuacct", "cpuset", "blkio"})
    facts.cgroups.push_back({.version = 1,
                             .mount = std::string("/sys/fs/cgroup/") + name,
                             .group = "/",
                             .controllers = {name}});
  facts.socket_accounting = true;
  return facts;
}

inline std::string settings(const MakeCgroup& group) {
  std::string text;
  for (const CgroupSetting& setting : group.settings)
    text += setting.file + "=" + setting.value + ";";
  return text;
}

inline Invocation command(std::vector<std::string> words = {"true"}) {
  Invocation invocation;
  invocation.run_id = "test";
  invocation.command = std::move(words);
  return invocation;
}

template <class Kind>
std::vector<Kind> steps_of(const Plan& plan) {
  std::vector<Kind> found;
  for (const Step& step : plan.steps)
    if (const auto* action = std::get_if<Kind>(&step.action)) found.push_back(*action);
  return found;
}

/// Index of the first step whose description contains `text`; npos when there is none.
inline std::size_t index_of(const Plan& plan, const std::string& text) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (describe(plan.steps[i].action).find(text) != std::string::npos) return i;
  return std::string::npos;
}

}  // namespace sbx::plan::testing
