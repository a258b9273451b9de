// Paths, small files and PATH, for finding tools. Only reads. Runs in the supervisor.
#include "os/tools_path.hpp"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <memory>

#include "base/fail.hpp"
#include "base/lexical_path.hpp"
#include "base/take.hpp"
#include "base/text.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own MAXSYMLINKS
constexpr std::size_t kMaxFile = 64UZ * 1024;

std::string_view take_component(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view part = path.substr(0, slash);
  path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  return part;
}

std::optional<std::string> link_text(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), text, sizeof text);
  if (length <= 0 || length == sizeof text) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(length));
}

/// EINVAL: it is a folder, a FIFO or the like.
SysResult<UniqueFd> open_file(const std::string& path) {
  // O_NONBLOCK: a FIFO that somebody put there must not hold us.
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts{};
  if (!file.valid() || fstat(file.get(), &facts) != 0) return fail();
  if (!S_ISREG(facts.st_mode)) return std::unexpected(Errno{EINVAL});
  return file;
}

}  // namespace

std::optional<ResolvedPath> resolve_path(std::string_view path) {
  ResolvedPath resolved;
  std::string& at = resolved.path;
  std::string rest(path);
  while (!rest.empty()) {
    std::string_view after = rest;
    const std::string part(take_component(after));
    rest = std::string(after);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = join_path(at, part);
    if (const std::optional<std::string> text = link_text(next)) {
      if (resolved.links.size() == kMaxLinks) return std::nullopt;
      resolved.links.push_back({next, *text});
      if (text->starts_with('/')) at.clear();
      rest = join_path(*text, rest);
      continue;
    }
    if (errno != EINVAL) return std::nullopt;  // EINVAL: it is there and no link
    at = next;
  }
  if (at.empty()) at = "/";
  return resolved;
}

std::string parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return std::string(path.substr(0, slash));
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string joined(folder);
  if (!joined.ends_with('/')) joined += '/';
  return joined.append(name);
}

std::string join_path(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts)
    joined = joined.empty() ? part : join_path(joined, part);
  return joined;
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  return !folder.empty() && is_below(path, folder);
}

bool is_folder(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool exists(const std::string& path) { return faccessat(AT_FDCWD, path.c_str(), F_OK, 0) == 0; }

bool is_program(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

SysResult<std::string> read_regular_file(const std::string& path, std::size_t most) {
  const UniqueFd file = SBX_TRY(open_file(path));
  std::string text;  // read to its end: files of /proc have no size
  char chunk[4096];
  ssize_t got = 0;
  while ((got = read(file.get(), chunk, sizeof chunk)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail();
    if (text.size() + static_cast<std::size_t>(got) > most) return std::unexpected(Errno{EFBIG});
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<std::string> read_small_file(const std::string& path) {
  auto text = read_regular_file(path, kMaxFile);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

std::string loader_of(const std::string& program) {
  const auto file = open_file(program);
  Elf64_Ehdr head{};
  if (!file || pread(file->get(), &head, sizeof head, 0) != sizeof head ||
      std::string_view(reinterpret_cast<const char*>(head.e_ident), SELFMAG) != ELFMAG ||
      head.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    const auto at = static_cast<off_t>(head.e_phoff + i * sizeof part);
    if (pread(file->get(), &part, sizeof part, at) != sizeof part) return {};
    if (part.p_type != PT_INTERP) continue;
    char path[256] = {};
    if (part.p_filesz >= sizeof path ||
        pread(file->get(), path, part.p_filesz, static_cast<off_t>(part.p_offset)) < 0)
      return {};
    return path;
  }
  return {};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), &closedir);
  while (const dirent* const entry = listing ? readdir(listing.get()) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

std::string_view take_line(std::string_view& text) { return trim(take(text, '\n')); }

std::string env_of(const HostFacts& facts, const std::string& name) {
  const auto found = facts.env.find(name);
  return found == facts.env.end() ? std::string() : found->second;
}

std::optional<std::string> search_path(const std::string& name, const HostFacts& facts,
                                       const std::string& without) {
  std::string folders = env_of(facts, "PATH");
  if (folders.empty()) folders = "/usr/local/bin:/usr/bin:/bin";
  std::string_view rest = folders;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    // A relative folder would make the plan depend on where the caller stands.
    if (!folder.starts_with('/') || folder == without) continue;
    std::string program = join_path(folder, name);
    if (is_program(program)) return program;
  }
  return std::nullopt;
}

std::vector<std::string> upwards(const HostFacts& facts) {
  std::vector<std::string> folders;
  for (std::string at = facts.cwd; at.starts_with('/'); at = parent_of(at)) {
    folders.push_back(at);
    if (at == "/") break;
  }
  return folders;
}

}  // namespace sbx::os
