// Finds the toolchain that rustup's proxies (cargo, rustc, ...) would pick here, and the program in
// it. rustup itself stays outside: beside it lies ~/.cargo/credentials.toml. Only reads.
#include <sys/stat.h>
#include <sys/utsname.h>

#include <string_view>

#include "base/text.hpp"
#include "os/tools_path.hpp"
#include "os/tools_shims.hpp"

namespace sbx::os {
namespace {

/// A string value `key = "value"` of [section] in a TOML file; all that rustup's own files need.
/// Keys may be quoted too, as paths in [overrides] are.
std::string toml_value(std::string_view text, std::string_view section, std::string_view key) {
  const auto unquoted = [](std::string_view part) {
    part = trim(part);
    if (part.size() < 2 || (part[0] != '"' && part[0] != '\'')) return part;
    const std::size_t end = part.find(part[0], 1);
    return end == std::string_view::npos ? part : part.substr(1, end - 1);
  };
  std::string_view current;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with('[')) {
      current = trim(line.substr(1, line.find(']') - 1));
      continue;
    }
    const std::size_t equals = line.find('=');
    if (current != section || line.starts_with('#') || equals == std::string_view::npos) continue;
    if (unquoted(line.substr(0, equals)) == key)
      return std::string(unquoted(line.substr(equals + 1)));
  }
  return {};
}

struct Choice {
  std::string toolchain;  ///< a name, or an absolute folder
  std::string set_by;
  bool by_file = false;  ///< of whoever the caller's folder is
};

/// rust-toolchain.toml, or rust-toolchain with the same content or just a name.
Choice from_file(const std::string& folder) {
  for (const char* name : {"rust-toolchain", "rust-toolchain.toml"}) {
    const std::string file = join_path(folder, name);
    const auto text = read_small_file(file);
    if (!text) continue;
    std::string channel = toml_value(*text, "toolchain", "channel");
    if (channel.empty()) channel = toml_value(*text, "toolchain", "path");
    const std::string_view whole = trim(*text);
    if (channel.empty() && whole.find_first_of("[\n=") == std::string_view::npos) channel = whole;
    if (!channel.empty()) return {channel, file, true};
  }
  return {};
}

/// rustup's order: the variable, then for each folder upwards an override or a file, then the
/// default.
Choice choose(const std::string& settings, const HostFacts& facts) {
  const std::string variable = env_of(facts, "RUSTUP_TOOLCHAIN");
  if (!variable.empty()) return {variable, "RUSTUP_TOOLCHAIN"};
  for (const std::string& folder : upwards(facts)) {
    const std::string override_here = toml_value(settings, "overrides", folder);
    if (!override_here.empty()) return {override_here, "an override for " + folder};
    if (Choice found = from_file(folder); !found.toolchain.empty()) return found;
  }
  return {toml_value(settings, "", "default_toolchain"), "rustup's default"};
}

/// "stable" is kept as "stable-x86_64-unknown-linux-gnu".
std::string toolchain_folder(const std::string& home, const std::string& settings,
                             const std::string& toolchain) {
  if (toolchain.starts_with('/')) return toolchain;
  std::string plain = join_path({home, "toolchains", toolchain});
  if (is_folder(plain)) return plain;
  std::string triple = toml_value(settings, "", "default_host_triple");
  utsname host{};
  if (triple.empty() && uname(&host) == 0)
    triple = std::string(host.machine) + "-unknown-linux-gnu";
  return plain + "-" + triple;
}

/// Proxies are links to rustup, symbolic or (older versions) hard ones.
bool is_proxy(const std::string& program, const std::string& name) {
  if (name == "rustup" || name == "rustup-init") return false;
  const auto real = resolve_path(program);
  if (!real) return false;
  if (base_name(real->path) == "rustup" || base_name(real->path) == "rustup-init") return true;
  struct stat one{};
  struct stat other{};
  const std::string rustup = join_path(parent_of(program), "rustup");
  return stat(program.c_str(), &one) == 0 && stat(rustup.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

std::optional<ShimTarget> follow_rustup(const std::string& program, const std::string& name,
                                        const HostFacts& facts) {
  if (!is_proxy(program, name)) return std::nullopt;
  std::string home = env_of(facts, "RUSTUP_HOME");
  if (home.empty()) home = join_path(facts.home, ".rustup");
  const std::string settings = read_small_file(home + "/settings.toml").value_or("");
  const Choice choice = choose(settings, facts);
  if (choice.toolchain.empty())
    return ShimTarget{.problem = name + " is a proxy of rustup, which has no default toolchain; " +
                                 "run `rustup default stable`"};
  const bool is_name = !choice.toolchain.contains('/') && choice.toolchain != "..";
  if (choice.by_file && !is_name)
    return ShimTarget{.problem = name + " is a proxy of rustup, and " + choice.set_by +
                                 " names a folder (" + choice.toolchain +
                                 "), which a file there does not decide: name it with "
                                 "RUSTUP_TOOLCHAIN if it is to be shown"};
  const std::string real = toolchain_folder(home, settings, choice.toolchain) + "/bin/" + name;
  if (is_program(real)) return ShimTarget{.program = real};
  return ShimTarget{.problem = name + " is a proxy of rustup, and toolchain " + choice.toolchain +
                               " (set by " + choice.set_by + ") is not installed or has no " +
                               name};
}

}  // namespace sbx::os
