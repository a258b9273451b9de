// From a loaded profile to a plan on canned hosts, and what every plan keeps whatever the profile
// says.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "../unit/plan_testing.hpp"
#include "profile/load.hpp"
#include "promise.hpp"

namespace sbx::fuzz {

/// A host where the same word always means the same thing: a folder, a file, nothing, or trouble.
inline SourceFacts source_for(const std::string& name, std::string_view resolved) {
  SourceFacts facts;
  const std::size_t kind = std::hash<std::string>{}(name) % 6;
  if (kind == 0) return facts;
  if (kind == 1) {
    facts.problem = "a link leads out of its folder";
    return facts;
  }
  facts.exists = true;
  facts.type = kind == 2 ? EntryType::file : EntryType::directory;
  facts.path = resolved;
  facts.uid = facts.gid = 1234;
  facts.device = "8:0";
  return facts;
}

inline void look_at(const profile::Profile& profile, HostFacts& facts) {
  facts.sources[profile.workspace.source] =
      source_for(profile.workspace.source, "/home/user/project");
  for (const profile::Mount& mount : profile.mounts)
    if (const auto* bind = std::get_if<profile::BindMount>(&mount.what))
      facts.sources[source_key(facts, bind->source, bind->base)] =
          source_for(bind->source, "/srv/data/" + std::to_string(bind->source.size()));
  for (const std::string& name : profile.tools) {
    ToolInstallation tool;
    tool.name = name;
    if (name.size() % 3 == 0) {
      tool.problem = "not found";
    } else {
      tool.trees.push_back({"/opt/tool" + std::to_string(name.size()), EntryType::directory,
                            "/opt/tool" + std::to_string(name.size())});
    }
    facts.tools.push_back(tool);
  }
}

/// An absolute path inside the sandbox that says what it means.
inline void require_inside(const std::string& path) {
  require(path.starts_with('/') && !path.contains('\0'));
  for (const char* part : {"/../", "/./", "//"})
    require(!(path + "/").contains(part) || path == "/");
}

struct Targets {
  void operator()(const plan::BindTree& step) const {
    require_inside(step.target);
    require(step.source.starts_with('/') && step.source != "/" && step.flags.no_suid);
  }
  void operator()(const plan::AttachTree& step) const {
    require_inside(step.target);
    require(step.target != "/" && step.flags.no_suid);
  }
  void operator()(const plan::MountTmpfs& step) const {
    require_inside(step.target);
    require(step.size > 0 && step.flags.no_suid && step.flags.no_dev);
  }
  void operator()(const plan::MakeDir& step) const { require_inside(step.path); }
  void operator()(const plan::WriteFile& step) const {
    require_inside(step.path);
    require((step.mode & ~0777U) == 0);
  }
  template <class Other>
  void operator()(const Other&) const {}
};

template <class Kind>
std::size_t count_of(const plan::Plan& plan) {
  return plan::testing::steps_of<Kind>(plan).size();
}

inline void check_plan(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps) std::visit(Targets{}, step.action);
  // The payload is untrusted from its exec on: everything is shut by then, the filter last.
  const std::size_t size = plan.steps.size();
  std::size_t exec = size;
  for (std::size_t i = 0; i < size; ++i)
    if (std::holds_alternative<plan::ExecPayload>(plan.steps[i].action)) exec = i;
  require(exec < size && exec > 0);
  require(std::holds_alternative<plan::InstallSeccomp>(plan.steps[exec - 1].action));
  require(count_of<plan::NoNewPrivs>(plan) == 1 && count_of<plan::PivotRoot>(plan) == 1);
  require(count_of<plan::DropCapabilities>(plan) == 2 && count_of<plan::SetDumpable>(plan) == 1);
  require(count_of<plan::DetachTree>(plan) == count_of<plan::AttachTree>(plan));
  require(!plan.filter.program().empty() && !plan.argv.empty());
  require((plan.network == profile::NetworkMode::filtered) == plan.egress.has_value());
  require(!plan::describe_text(plan).empty() && nlohmann::json::accept(plan::describe_json(plan)));
}

inline void build_everywhere(const profile::Profile& profile) {
  using plan::testing::host_of_root, plan::testing::host_of_user, plan::testing::hybrid;
  HostFacts bare = host_of_user();
  bare.cgroups.clear();
  bare.landlock_abi = 0;
  for (HostFacts facts : {host_of_user(), host_of_root(), hybrid(host_of_root()), bare}) {
    look_at(profile, facts);
    const auto plan = plan::build(profile, plan::testing::command(), facts);
    if (plan) {
      check_plan(*plan);
    } else {
      // A plan out of order is a bug of ours, whatever the profile.
      require(!plan.error().what.empty() && plan.error().kind != ErrorKind::internal);
    }
  }
}

}  // namespace sbx::fuzz
