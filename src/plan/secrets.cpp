// Where the values of secrets go. The plan names each, and has none: the launch takes them from
// memory of their own (os/secret_memory.hpp).
#include "plan/secrets.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sbx::plan {
namespace {

constexpr const char* kFolder = "/run/secrets";
constexpr const char* kStaging = "/.sbx/secrets";
constexpr MountFlags kSealed{.read_only = true, .no_exec = true};
constexpr MountFlags kOpen{.read_only = false, .no_exec = true};

bool is_in_folder(const PlannedSecret& secret) {
  return parent_path(secret.place) == std::string_view(kFolder);
}

/// Room for the largest values there can be, each in pages of its own, and the folder.
std::uint64_t room_for(std::size_t count) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 10U;
  return (count + 1) * (kMost + 4096);
}

/// A private tmpfs that nobody but the payload's user may look into.
Result<void> add_folder(Builder& b, Tree& tree, const char* at, std::size_t count) {
  SBX_CHECK(tree.make_mount_point(at, true, "secrets, in memory of their own", "secrets"));
  b.add(Phase::init, MountTmpfs{at, room_for(count), count + 8, 0500, kOpen},
        "secrets, in memory of their own", "secrets");
  tree.cover_own(at);
  return {};
}

}  // namespace

void note_secrets(Builder& b) {
  for (const profile::Secret& secret : b.profile.secrets)
    b.plan.secrets.push_back({secret.name, secret.from, secret.base,
                              lexical_path("/", secret.place()), secret.env, secret.redact,
                              b.origin_of("secrets." + secret.name + ".from")});
  for (PlannedSecret& secret : b.plan.secrets)
    if (secret.place == "/") secret.place.clear();
  Supervision& supervision = b.plan.supervision;
  supervision.redact_patterns = b.profile.redact_patterns;
  supervision.on_leak = b.profile.on_leak;
  supervision.redacts = !supervision.redact_patterns.empty() ||
                        std::ranges::any_of(b.plan.secrets, &PlannedSecret::redact);
  if (!b.plan.secrets.empty() && leaves_cores(b.profile))
    b.plan.warnings.emplace_back(
        "limits.rlimits.core lets the command leave core files, which contain the secrets that it "
        "has read");
}

Result<void> plan_secrets(Builder& b, Tree& tree) {
  const auto& secrets = b.plan.secrets;
  const auto files = static_cast<std::size_t>(
      std::ranges::count_if(secrets, [](const auto& secret) { return !secret.place.empty(); }));
  const auto inside = static_cast<std::size_t>(std::ranges::count_if(secrets, is_in_folder));
  if (inside != 0) SBX_CHECK(add_folder(b, tree, kFolder, inside));
  if (files != inside) SBX_CHECK(add_folder(b, tree, kStaging, files - inside));
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    const PlannedSecret& secret = secrets[i];
    if (secret.place.empty()) continue;
    const std::string key = "secrets." + secret.name;
    const std::string path =
        is_in_folder(secret) ? secret.place : std::string(kStaging) + "/" + secret.name;
    b.add(Phase::init, WriteSecret{i, secret.name, path, b.profile.secrets[i].perm},
          "a secret of the profile", key);
  }
  for (const PlannedSecret& secret : secrets) {
    if (secret.place.empty() || is_in_folder(secret)) continue;
    const std::string key = "secrets." + secret.name;
    SBX_CHECK(tree.make_mount_point(secret.place, false, "a secret of the profile", key));
    b.add(Phase::init, BindInside{std::string(kStaging) + "/" + secret.name, secret.place, kSealed},
          "a secret of the profile", key);
    tree.cover_foreign(secret.place);
  }
  return {};
}

void seal_secrets(Builder& b) {
  const auto mounted = [&](const char* at) {
    return std::ranges::any_of(b.plan.steps, [&](const Step& step) {
      const auto* const tmpfs = std::get_if<MountTmpfs>(&step.action);
      return tmpfs != nullptr && tmpfs->target == at && tmpfs->mode == 0500;
    });
  };
  for (const char* const at : {kFolder, kStaging})
    if (mounted(at))
      // With the folders in it that are held.
      b.add(Phase::init, SealMount{at, true, kSealed}, "nobody changes a secret", "secrets");
}

}  // namespace sbx::plan
