// devices: [gpu] in the plan.
#include <doctest/doctest.h>

#include <cerrno>

#include "plan/kinds.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

constexpr const char* kDevice = "/sys/devices/pci0000:00/0000:00:02.0";

HostFacts with_gpu(HostFacts facts) {
  facts.gpu =
      GpuFacts{.nodes = {"/dev/dri/renderD128", "/dev/nvidia0"},
               .trees = {{kDevice, EntryType::directory, kDevice},
                         {"/sys/dev/char/226:128", EntryType::symlink, "", "../../devices/x"},
                         {"/usr/lib/libcuda.so", EntryType::file, "/usr/lib/libcuda.so"}}};
  return facts;
}

profile::Profile wanting(std::vector<std::string> devices) {
  profile::Profile profile;
  profile.devices = std::move(devices);
  return profile;
}

std::size_t count_nodes(const Plan& plan, std::string_view path) {
  const auto nodes = steps_of<BindDevice>(plan);
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes, [&](const BindDevice& node) { return node.target == path; }));
}

bool has_variable(const Plan& plan, const std::string& begin) {
  return std::ranges::any_of(
      plan.env, [&](const std::string& variable) { return variable.starts_with(begin); });
}

}  // namespace

TEST_CASE("nodes are devices, and what the driver needs is read-only") {
  const auto plan = build(wanting({"gpu", "dri/renderD128"}), command(), with_gpu(host_of_user()));
  REQUIRE(plan.has_value());
  CHECK(count_nodes(*plan, "/dev/dri/renderD128") == 1);
  CHECK(count_nodes(*plan, "/dev/nvidia0") == 1);
  const auto binds = steps_of<BindTree>(*plan);
  const auto device = std::ranges::find(binds, kDevice, &BindTree::target);
  REQUIRE(device != binds.end());
  CHECK(device->flags.read_only);
  CHECK(device->flags.no_dev);
  CHECK(index_of(*plan, "link /sys/dev/char/226:128") != std::string::npos);
  // Of /usr all is shown already.
  CHECK(std::ranges::find(binds, "/usr/lib/libcuda.so", &BindTree::target) == binds.end());
  CHECK_FALSE(has_variable(*plan, "LD_LIBRARY_PATH="));
}

TEST_CASE("a root of its own looks for the driver's libraries first") {
  HostFacts facts = with_gpu(host_of_user());
  facts.gpu->libraries = "/run/gpu";
  const auto alone = build(wanting({"gpu"}), command(), facts);
  REQUIRE(alone.has_value());
  CHECK(std::ranges::find(alone->env, "LD_LIBRARY_PATH=/run/gpu") != alone->env.end());
  profile::Profile other = wanting({"gpu"});
  other.env.set["LD_LIBRARY_PATH"] = "/opt/lib";
  const auto told = build(other, command(), facts);
  REQUIRE(told.has_value());
  CHECK(std::ranges::find(told->env, "LD_LIBRARY_PATH=/opt/lib") != told->env.end());
  REQUIRE(told->warnings.size() == 1);
  CHECK(told->warnings.front().ends_with(": /run/gpu:/opt/lib"));
  CHECK(alone->warnings.empty());
  other.env.set["LD_LIBRARY_PATH"] = "/opt/lib:/run/gpu";
  const auto both = build(other, command(), facts);
  REQUIRE(both.has_value());
  CHECK(both->warnings.empty());
}

TEST_CASE("a host that has none refuses, and says what to do") {
  HostFacts facts = host_of_user();
  facts.gpu = GpuFacts{.problem = "there is none", .advice = "load its driver"};
  const auto plan = build(wanting({"gpu"}), command(), facts);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().kind == ErrorKind::host);
  CHECK(plan.error().what == "there is none");
  CHECK(plan.error().hint == "load its driver");
}

TEST_CASE("without namespaces Landlock lets the command at them") {
  HostFacts facts = with_gpu(host_of_user());
  facts.no_namespaces = NoNamespaces{Feature::user_namespace, EPERM};
  facts.temporary = "/tmp";
  profile::Profile profile = wanting({"gpu"});
  profile.degrade = {"userns"};
  const auto plan = build(profile, command(), facts);
  REQUIRE(plan.has_value());
  const auto landlock = steps_of<ApplyLandlock>(*plan);
  REQUIRE(landlock.size() == 1);
  const auto rule_of = [&](const std::string& path) {
    const auto found = std::ranges::find(landlock.front().rules, path, &LandlockRule::path);
    return found == landlock.front().rules.end() ? nullptr : &*found;
  };
  REQUIRE(rule_of("/dev/nvidia0") != nullptr);
  CHECK(rule_of("/dev/nvidia0")->device);
  REQUIRE(rule_of(kDevice) != nullptr);
  CHECK_FALSE(rule_of(kDevice)->writable);
}
