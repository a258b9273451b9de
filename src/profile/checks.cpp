// Running the checks, and how they find the place to point at.
#include "profile/checks.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "profile/own_devices.hpp"

namespace sbx::profile {

const Origin* Checker::origin(std::string_view key) const {
  const auto found = profile_.origins.find(std::string(key));
  return found == profile_.origins.end() ? nullptr : &found->second;
}

bool Checker::is_sound(std::string_view key) const {
  const Origin* const at = origin(key);
  return at == nullptr || !findings_.told(*at);
}

void Checker::complain(std::string_view key, std::string what, std::string hint) const {
  for (std::string_view at = key; !at.empty(); at = at.substr(0, at.find_last_of(".["))) {
    if (const Origin* place = origin(at)) {
      findings_.add(*place, std::move(what), std::move(hint));
      return;
    }
    if (at.find_last_of(".[") == std::string_view::npos) break;
  }
  findings_.add(Origin{profile_.name}, std::move(what), std::move(hint));
}

void Checker::complain_at(const Origin& at, std::string what, std::string hint) const {
  findings_.add(at, std::move(what), std::move(hint));
}

void validate(const Profile& profile, Findings& findings) {
  const Checker checker(profile, findings);
  for (const Check& check : file_checks()) check.run(checker);
  for (const Check& check : secret_checks()) check.run(checker);
  for (const Check& check : policy_checks()) check.run(checker);
  for (const Check& check : network_checks()) check.run(checker);
  for (const Check& check : limit_checks()) check.run(checker);
}

std::string path_problem(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.front() != '/') return "must be absolute (start with `/`)";
  if (path.size() > 4095)
    return "is longer than the kernel takes (4095 bytes)";  // PATH_MAX with its NUL
  for (const std::string_view step : split(path, '/')) {
    if (step == "..") return "must not contain `..`";
    if (step.size() > 255) return "has a name longer than 255 bytes";  // NAME_MAX
  }
  return "";
}

/// Mounting over these would undo what sbx puts there: /proc and /sys are made for the sandbox
/// alone, and /dev is built node by node (its folders, such as /dev/shm, may be mounted over).
std::string target_problem(std::string_view target) {
  if (std::string problem = path_problem(target); !problem.empty()) return problem;
  if (target == "/") return "cannot be `/`; `root` says what the root is";
  if (is_below(target, "/proc")) return "lies in /proc, which belongs to the sandbox";
  if (target == "/dev") return "cannot be /dev, which belongs to the sandbox; `devices` adds to it";
  if (is_below(target, "/dev/pts")) return "lies in /dev/pts, which belongs to the sandbox";
  const auto taken = [target](std::string_view path) { return is_below(target, path); };
  if (std::ranges::any_of(kOwnNodes, taken) ||
      std::ranges::any_of(kOwnLinks, taken, &OwnLink::path))
    return "is a device that every sandbox has";
  return "";
}

bool is_env_name(std::string_view text) {
  const auto word = [](char c) { return is_alnum(c) || c == '_'; };
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, word);
}

}  // namespace sbx::profile
