// The caller's homes, by what the environment and the host's file of accounts say. The file is read
// as it is: a static program cannot ask NSS, and $HOME alone is whatever somebody has set.
#include "os/homes.hpp"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "os/fd.hpp"
#include "os/lines.hpp"
#include "os/probe_source.hpp"

namespace sbx::os {
namespace {

/// name:password:uid:gid:text:home:shell of `uid`; as in getpwuid(3) the first one counts.
std::string written_home(const char* accounts, std::uint32_t uid) {
  constexpr std::size_t kLongest = 64UZ * 1024;
  constexpr std::size_t kPiece = 4096;  // one read, and one page, as a rule
  const UniqueFd file(::open(accounts, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return {};
  const std::string wanted = std::to_string(uid);
  LineReader reader(file.get(), kLongest, kPiece);
  while (true) {
    const auto line = reader.next();
    if (!line || !*line) return {};
    if (!(*line)->text.contains(wanted)) continue;
    const std::vector<std::string_view> fields = split((*line)->text, ':');
    if (fields.size() >= 6 && fields[2] == wanted) return std::string(fields[5]);
  }
}

/// `home` as the kernel names it, which is what a workspace's folder is compared with.
std::string without_links(const std::string& home) {
  SourceFacts folder = look_at_source({home, "/"});
  return folder.exists ? std::move(folder.path) : lexical_path("/", home);
}

}  // namespace

std::vector<std::string> homes_of(const HostFacts& facts, const char* accounts) {
  std::vector<std::string> homes;
  const std::string written = written_home(accounts, facts.euid);
  if (facts.home.starts_with('/')) homes.push_back(without_links(facts.home));
  if (written.starts_with('/') && written != facts.home) homes.push_back(without_links(written));
  return homes;
}

}  // namespace sbx::os
