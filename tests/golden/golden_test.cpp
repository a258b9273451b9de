// What every built-in profile comes to on fixed hosts, and every group of system calls, compared
// with the texts in this folder: a change of policy shows up in review as a change of these files.
// SBX_UPDATE_GOLDEN=1 writes them anew.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "../unit/plan_testing.hpp"
#include "../unit/profile_testing.hpp"
#include "golden.hpp"
#include "seccomp/calls.hpp"

namespace {

using sbx::HostFacts;
using sbx::plan::Plan;

const std::filesystem::path kFolder = SBX_GOLDEN;

void compare(const std::string& name, const std::string& text) {
  sbx::testing::compare_golden(kFolder / name, text);
}

/// JSON with a line for each step, so that a difference is readable.
std::string broken_into_lines(std::string json) {
  for (const std::string_view mark : {"{\"phase\":", "],\"seccomp\":", "\"supervise\":",
                                      "\"isolation\":", "\"env\":", "\"steps\":"}) {
    for (std::size_t at = 0; (at = json.find(mark, at)) != std::string::npos; at += mark.size() + 1)
      json.insert(at, "\n");
  }
  return json + "\n";
}

/// Every tool is found below /opt, unless it may be missing.
void add_tools(HostFacts& facts, const sbx::profile::Profile& profile) {
  for (const std::string& tool : profile.tools) {
    sbx::ToolInstallation found;
    found.name = tool;
    if (tool.ends_with('?')) {
      found.problem = tool + " is not on PATH";
    } else {
      const std::string folder = "/opt/" + tool;
      found.trees = {{folder, sbx::EntryType::directory, folder, ""}};
      found.path = {folder + "/bin"};
    }
    facts.tools.push_back(std::move(found));
  }
}

Plan plan_of(const std::string& name, HostFacts facts) {
  sbx::profile::LoadRequest request;
  request.name = name;
  const auto profile = sbx::testing::load_files({}, request);
  REQUIRE_MESSAGE(profile.has_value(), name);
  add_tools(facts, *profile);
  auto plan =
      sbx::plan::build(*profile, sbx::plan::testing::command({"program", "an argument"}), facts);
  REQUIRE_MESSAGE(plan.has_value(), name, ": ", plan ? "" : plan.error().to_string());
  plan->profile_sha256.clear();  // of the text with its comments
  return std::move(*plan);
}

}  // namespace

TEST_CASE("the plan of every built-in profile for an ordinary user on a v2 host") {
  for (const auto& [name, text] : sbx::profile::builtin_profiles()) {
    const Plan plan = plan_of(name, sbx::plan::testing::host_of_user());
    compare(name + "-user.txt", sbx::plan::describe_text(plan));
    compare(name + "-user.json.txt", broken_into_lines(sbx::plan::describe_json(plan)));
  }
}

TEST_CASE("the plan of every built-in profile for root on a hybrid host") {
  using sbx::plan::testing::host_of_root;
  using sbx::plan::testing::hybrid;
  for (const auto& [name, text] : sbx::profile::builtin_profiles()) {
    compare(name + "-root.txt", sbx::plan::describe_text(plan_of(name, hybrid(host_of_root()))));
  }
}

TEST_CASE("every group of system calls") {
  std::string text;
  std::string by_default;
  for (const sbx::seccomp::Group& group : sbx::seccomp::call_groups()) {
    constexpr std::string_view kStandings[] = {"allowed", "optional", "never"};
    text += std::string(group.name) + " (" +
            std::string(kStandings[static_cast<std::size_t>(group.standing)]) +
            "): " + std::string(group.reason) + "\n";
    std::string calls;
    for (const sbx::seccomp::Call& call : group.calls)
      calls += "  " + std::string(call.name) + "\n";
    if (group.standing == sbx::seccomp::Standing::allowed) by_default += calls;
    text += calls;
  }
  text.insert(0,
              "@default (allowed): what ordinary programs need: the union of the allowed groups\n" +
                  by_default);
  compare("seccomp-groups.txt", text);
}

TEST_CASE("no text here belongs to a profile that is gone") {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".txt" || name == "seccomp-groups.txt") continue;
    const std::string profile = name.substr(0, name.rfind('-'));
    CHECK_MESSAGE(sbx::profile::builtin_profiles().contains(profile), name);
  }
}
