// Checks of `secrets`: where a value comes from, and where it goes.
#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "base/lexical_path.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"
#include "profile/decode.hpp"
#include "redact/patterns.hpp"

namespace sbx::profile {
namespace {

std::string key_of(const Secret& secret, std::string_view key) {
  return "secrets." + secret.name + '.' + std::string(key);
}

void check_source(const Checker& c, const Secret& secret) {
  const std::size_t colon = secret.from.find(':');
  const std::string_view kind = std::string_view(secret.from).substr(0, colon);
  const std::string_view what =
      colon == std::string::npos ? "" : std::string_view(secret.from).substr(colon + 1);
  constexpr std::array<std::string_view, 4> kKinds{"env", "file", "fd", "command"};
  const std::string key = key_of(secret, "from");
  if (what.empty() || std::ranges::find(kKinds, kind) == kKinds.end())
    // Not repeated: somebody may have written the value itself.
    return c.complain(
        key, "`" + key + "` must be env:NAME, file:PATH, fd:N or command:...",
        "the value itself stands elsewhere, such as in a variable of yours: env:NAME");
  if (kind == "env" && !is_env_name(what))
    c.complain(key, "`" + key + "`: what follows `env:` is no name of a variable",
               "names are letters, digits and _");
  const auto& pass = c.profile().env.pass;
  if (kind == "env" && std::ranges::find(pass, what) != pass.end())
    c.complain(key, "`" + key + "`: `env.pass` passes `" + printable(what, 60) + "` in plain",
               "take it out there; for a variable inside write `env: " + printable(what, 60) +
                   "` beside `from`");
  const bool number = parse_number<int>(what).value_or(-1) > 2;
  if (kind == "fd" && !number)
    c.complain(key, "`" + key + "`: `" + printable(what, 40) + "` is no number above 2",
               "open another descriptor for it: fd:3, and 3< FILE on the command line");
}

void check_place(const Checker& c, const Secret& secret) {
  const bool written = c.origin(key_of(secret, "at")) != nullptr;
  if (written || !secret.at.empty()) {
    const std::string problem = target_problem(clean_path(secret.at));
    if (!problem.empty())
      c.complain(key_of(secret, "at"),
                 "`" + key_of(secret, "at") + "`: `" + printable(secret.at, 80) + "` " + problem);
  }
  if (c.origin(key_of(secret, "perm")) != nullptr && secret.place().empty())
    c.complain(key_of(secret, "perm"),
               "`" + key_of(secret, "perm") + "` means something for a file only",
               "write `at` as well, or remove it");
}

void check_variable(const Checker& c, const Secret& secret) {
  const std::string key = key_of(secret, "env");
  if (secret.env.empty() && c.origin(key) == nullptr) return;
  if (!is_env_name(secret.env))
    return c.complain(
        key, "`" + key + "`: `" + printable(secret.env, 60) + "` is no name of a variable");
  if (c.profile().env.set.contains(secret.env))
    c.complain(key, "`" + key + "`: `env.set` has `" + secret.env + "` too",
               "only one of them can be its value");
}

/// Nothing of the profile's is at the place of a secret, and nothing has its variable.
void check_apart(const Checker& c) {
  std::map<std::string, std::string> seen;
  for (const Mount& mount : c.profile().mounts)
    seen.emplace(std::visit([](const auto& what) { return what.target; }, mount.what), "a mount");
  if (c.profile().workspace.mode != WorkspaceMode::none)
    seen.emplace(clean_path(c.profile().workspace.at), "the workspace");
  for (const Secret& secret : c.profile().secrets) {
    const std::string name = "the secret `" + printable(secret.name, 60) + '`';
    const auto claim = [&](const std::string& what, const char* key, const char* kind) {
      if (what.empty()) return;
      const auto [first, fresh] = seen.emplace(what, name);
      if (!fresh)
        c.complain(key_of(secret, key),
                   first->second + " has " + kind + " `" + printable(what, 80) + "` already");
    };
    claim(secret.place().empty() ? "" : clean_path(secret.place()), "at", "the place");
    claim(secret.env, "env", "the variable");
  }
}

/// The folder where secrets are without `at` has nothing else: what the profile puts there would be
/// under it, where nobody sees it.
void check_folder(const Checker& c) {
  constexpr std::string_view kFolder = "/run/secrets";
  const auto& secrets = c.profile().secrets;
  const auto place = [](const Secret& secret) { return clean_path(secret.place()); };
  const bool used = std::ranges::any_of(secrets, [&](const Secret& secret) {
    const std::string at = place(secret);
    return at.substr(0, at.rfind('/')) == kFolder;
  });
  if (!used) return;
  const auto problem = [kFolder](std::string_view where) {
    return "`" + printable(where, 80) + "` is in `" + std::string(kFolder) +
           "`, which has secrets alone";
  };
  const std::string hint =
      "choose a place outside of it, or give each of `secrets` an `at` elsewhere";
  for (const Mount& mount : c.profile().mounts) {
    const std::string& target =
        std::visit([](const auto& what) -> const std::string& { return what.target; }, mount.what);
    if (is_below(target, kFolder) && std::ranges::find(secrets, target, place) == secrets.end())
      c.complain_at(mount.origin, "the mount's target " + problem(target), hint);
  }
  const Workspace& workspace = c.profile().workspace;
  if (workspace.mode != WorkspaceMode::none && is_below(clean_path(workspace.at), kFolder))
    c.complain("workspace.at", "`workspace.at`: " + problem(workspace.at), hint);
}

void check_secrets(const Checker& c) {
  for (const Secret& secret : c.profile().secrets) {
    if (!is_env_name(secret.name))
      c.complain("secrets." + secret.name,
                 "`" + printable(secret.name, 60) + "` is no name for a secret",
                 "use letters, digits and _");
    check_source(c, secret);
    check_place(c, secret);
    check_variable(c, secret);
  }
  if (c.profile().secrets.empty()) return;
  check_apart(c);
  check_folder(c);
}

void check_redaction(const Checker& c) {
  const Profile& profile = c.profile();
  for (std::size_t i = 0; i < profile.redact_patterns.size(); ++i) {
    const auto meant = redact::meant_patterns(std::span(&profile.redact_patterns[i], 1));
    if (!meant)
      c.complain(Checker::item("redact_patterns", i), "`redact_patterns`: " + meant.error().what,
                 meant.error().hint);
  }
  const bool looks =
      !profile.redact_patterns.empty() || std::ranges::any_of(profile.secrets, &Secret::redact);
  const Origin* const written = c.origin("on_leak");
  if (profile.on_leak == OnLeak::fail && written != nullptr && !looks)
    c.complain("on_leak", "`on_leak: fail` has nothing to look for",
               "add `secrets` or `redact_patterns`, or remove it");
}

constexpr Check kChecks[] = {{"secrets", check_secrets}, {"redaction", check_redaction}};

}  // namespace

std::span<const Check> secret_checks() { return kChecks; }

}  // namespace sbx::profile
