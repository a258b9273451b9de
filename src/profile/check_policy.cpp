// Checks of names, environment and privileges.
#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"
#include "seccomp/check.hpp"

namespace sbx::profile {
namespace {

/// capabilities(7), in the kernel's order; cap_checkpoint_restore (5.9) is the last one there is.
constexpr std::array<std::string_view, 41> kCapabilities{"cap_chown",
                                                         "cap_dac_override",
                                                         "cap_dac_read_search",
                                                         "cap_fowner",
                                                         "cap_fsetid",
                                                         "cap_kill",
                                                         "cap_setgid",
                                                         "cap_setuid",
                                                         "cap_setpcap",
                                                         "cap_linux_immutable",
                                                         "cap_net_bind_service",
                                                         "cap_net_broadcast",
                                                         "cap_net_admin",
                                                         "cap_net_raw",
                                                         "cap_ipc_lock",
                                                         "cap_ipc_owner",
                                                         "cap_sys_module",
                                                         "cap_sys_rawio",
                                                         "cap_sys_chroot",
                                                         "cap_sys_ptrace",
                                                         "cap_sys_pacct",
                                                         "cap_sys_admin",
                                                         "cap_sys_boot",
                                                         "cap_sys_nice",
                                                         "cap_sys_resource",
                                                         "cap_sys_time",
                                                         "cap_sys_tty_config",
                                                         "cap_mknod",
                                                         "cap_lease",
                                                         "cap_audit_write",
                                                         "cap_audit_control",
                                                         "cap_setfcap",
                                                         "cap_mac_override",
                                                         "cap_mac_admin",
                                                         "cap_syslog",
                                                         "cap_wake_alarm",
                                                         "cap_block_suspend",
                                                         "cap_audit_read",
                                                         "cap_perfmon",
                                                         "cap_bpf",
                                                         "cap_checkpoint_restore"};

constexpr std::array<std::string_view, 5> kDegradable{"cgroup", "landlock", "userns", "idmap",
                                                      "overlay"};

constexpr std::string_view kPrefix = "cap_";

/// Complains about each entry that is not among `known`, whose names all begin with `prefix`: what
/// they share makes none of them likely, and may be left out.
void check_known(const Checker& c, std::string_view key, std::string_view kind,
                 const std::vector<std::string>& entries, std::span<const std::string_view> known,
                 std::string_view prefix = "") {
  std::vector<std::string_view> names;
  for (const std::string_view name : known) names.push_back(name.substr(prefix.size()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (std::ranges::find(known, entries[i]) != known.end()) continue;
    const std::string entry = to_lower(entries[i]);
    const std::string_view front = entry.starts_with(prefix) ? prefix : "";
    const std::string_view near = nearest_name(std::string_view(entry).substr(front.size()), names);
    c.complain(
        Checker::item(key, i),
        "unknown " + std::string(kind) + " `" + printable(entries[i], 60) + '`' +
            (near.empty() ? ""
                          : "; did you mean `" + std::string(front) + std::string(near) + "`?"),
        near.empty() || known.size() < 10 ? "known are " + join(names, ", ") : "");
  }
}

void check_name(const Checker& c) {
  const std::string& name = c.profile().name;
  const auto ordinary = [](char ch) { return is_alnum(ch) || ch == '-' || ch == '_' || ch == '.'; };
  if (name.empty() || name.size() > 64 || name.front() == '.' || name.front() == '-' ||
      !std::ranges::all_of(name, ordinary)) {
    c.complain("name", "`" + printable(name, 70) + "` is no profile name",
               "use up to 64 letters, digits, `-`, `_` and `.`");
  }
}

void check_command(const Checker& c) {
  const auto& command = c.profile().command;
  if (c.origin("command") != nullptr && (command.empty() || command.front().empty())) {
    c.complain("command", "`command` names no program",
               "write [PROGRAM, ARGUMENT...], or remove the key");
  }
}

void check_env(const Checker& c) {
  const auto& pass = c.profile().env.pass;
  for (std::size_t i = 0; i < pass.size(); ++i) {
    if (is_env_name(pass[i])) continue;
    const bool value = pass[i].find('=') != std::string::npos;
    c.complain(Checker::item("env.pass", i),
               "`env.pass`: `" + printable(pass[i], 60) + "` is no name of a variable",
               value ? "values belong under `env.set`" : "names are letters, digits and _");
  }
  for (const auto& [name, value] : c.profile().env.set) {
    if (!is_env_name(name))
      c.complain("env.set." + name,
                 "`env.set`: `" + printable(name, 60) + "` is no name of a variable",
                 "names are letters, digits and _");
  }
}

void check_hostname(const Checker& c) {
  const std::string& name = c.profile().hostname;
  // sethostname(2) takes 64 bytes; labels as in RFC 1123.
  bool good = !name.empty() && name.size() <= 64;
  for (const std::string_view label : split(name, '.')) {
    good = good && !label.empty() && label.size() <= 63 && label.front() != '-' &&
           label.back() != '-' &&
           std::ranges::all_of(label, [](char ch) { return is_alnum(ch) || ch == '-'; });
  }
  if (!good)
    c.complain("hostname", "`" + printable(name, 70) + "` is no host name",
               "use up to 64 letters, digits, `-` and `.`, at most 63 in a part");
}

void check_events(const Checker& c) {
  constexpr Duration kShortest{10};
  constexpr Duration kLongest = std::chrono::hours{24};
  const auto& interval = c.profile().events.usage_interval;
  if (interval && (*interval < kShortest || *interval > kLongest))
    c.complain("events.usage_interval", "`events.usage_interval` is not between 10ms and 1d",
               "write 1s, or none for no such events");
}

/// Complains at `key` about what seccomp has against it.
bool accepts(const Checker& c, const std::string& key, const Result<void>& checked) {
  if (!checked)
    c.complain(key, '`' + key.substr(0, key.find('[')) + "`: " + checked.error().what,
               checked.error().hint);
  return checked.has_value();
}

bool check_seccomp_lists(const Checker& c, const Seccomp& seccomp) {
  // Entries that nobody wrote (@default) stand in front of the written ones.
  std::size_t written = 0;
  while (c.origin(Checker::item("seccomp.allow", written)) != nullptr) ++written;
  const std::size_t defaults = seccomp.allow.size() - std::min(written, seccomp.allow.size());
  bool good = true;
  for (std::size_t i = defaults; i < seccomp.allow.size(); ++i)
    good &= accepts(c, Checker::item("seccomp.allow", i - defaults),
                    seccomp::check_allow(seccomp.allow[i]));
  for (std::size_t i = 0; i < seccomp.deny.size(); ++i)
    good &= accepts(c, Checker::item("seccomp.deny", i), seccomp::check_deny(seccomp.deny[i]));
  return good && accepts(c, "seccomp.allow", seccomp::check_start(seccomp.allow));
}

void check_seccomp(const Checker& c) {
  const Seccomp& seccomp = c.profile().seccomp;
  // What is wrong with the lists would be told again by each rule about a call of theirs.
  if (!check_seccomp_lists(c, seccomp)) return;
  std::size_t values = 0;
  for (std::size_t i = 0; i < seccomp.args.size(); ++i) {
    const ArgRule& rule = seccomp.args[i];
    if (rule.in.empty()) continue;  // its reader has said so
    (void)accepts(c, Checker::item("seccomp.args", i),
                  seccomp::check_narrowed({rule.call, rule.arg, rule.in}, values, seccomp.allow,
                                          seccomp.deny));
    values += rule.in.size();
  }
}

void check_capabilities(const Checker& c) {
  const std::vector<std::string>& wanted = c.profile().capabilities;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string name = to_lower(wanted[i]);
    if (name != "all" && name != "cap_all") continue;  // as docker and others have it
    return c.complain(Checker::item("capabilities", i),
                      '`' + wanted[i] + "`: no word stands for all capabilities",
                      "name those that the command needs, such as net_bind_service");
  }
  check_known(c, "capabilities", "capability", wanted, kCapabilities, kPrefix);
}

void check_degrade(const Checker& c) {
  check_known(c, "degrade", "control", c.profile().degrade, kDegradable);
}

constexpr Check kChecks[] = {
    {"name", check_name},
    {"command", check_command},
    {"env", check_env},
    {"hostname", check_hostname},
    {"events", check_events},
    {"seccomp", check_seccomp},
    {"capabilities", check_capabilities},
    {"degrade", check_degrade},
};

}  // namespace

std::span<const Check> policy_checks() { return kChecks; }

std::string_view capability_named(std::string_view written) {
  std::string name = to_lower(written);
  if (!name.starts_with(kPrefix)) name.insert(0, kPrefix);
  const auto found = std::ranges::find(kCapabilities, name);
  return found == kCapabilities.end() ? std::string_view() : *found;
}

}  // namespace sbx::profile
