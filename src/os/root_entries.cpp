// What of a root file system a sandbox shows: the programs and libraries of the host, the parts of
// its /etc that programs need, or the folders of a root of the user's own. Runs in the supervisor.
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "os/entries.hpp"
#include "os/fd.hpp"
#include "os/probe.hpp"
#include "os/probe_source.hpp"

namespace sbx::os {
namespace {

constexpr off_t kMaxCopy = off_t{16} * 1024;
/// The programs, and of /etc what they need. Each entry costs a start about 17 us (a mount made,
/// copied and taken apart), so a file earns its place: what is only read by hand, or changes
/// nothing when it is missing, has none. Not here on purpose: passwd, group, hosts, hostname,
/// nsswitch.conf and resolv.conf, which every sandbox gets fresh; machine-id, which names the host;
/// and what commonly holds tokens or passwords (npmrc, pip.conf, gitconfig, wgetrc, environment,
/// profile.d, odbc.ini, ssh). Of folders whose other half is private (keys) only the public half.
// clang-format off
constexpr std::array<std::string_view, 54> kShown = {
    "/bin", "/etc/ImageMagick-6", "/etc/ImageMagick-7", "/etc/OpenCL", "/etc/R",
    "/etc/alpine-release", "/etc/alternatives", "/etc/ant", "/etc/bash.bashrc", "/etc/bashrc",
    "/etc/ca-certificates/extracted", "/etc/crypto-policies", "/etc/debian_version", "/etc/fonts",
    "/etc/gai.conf", "/etc/ghostscript", "/etc/gnutls", "/etc/inputrc", "/etc/java", "/etc/julia",
    "/etc/ld.so.cache", "/etc/localtime", "/etc/lsb-release", "/etc/maven", "/etc/mime.types",
    "/etc/mono", "/etc/octave.conf", "/etc/openmpi", "/etc/os-release", "/etc/papersize",
    "/etc/php", "/etc/pki/ca-trust", "/etc/pki/java", "/etc/pki/tls/cert.pem", "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf", "/etc/profile", "/etc/protocols", "/etc/redhat-release",
    "/etc/services", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem", "/etc/ssl/certs",
    "/etc/ssl/ct_log_list.cnf", "/etc/ssl/openssl.cnf", "/etc/system-release", "/etc/texmf",
    "/etc/timezone", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr",
};
// clang-format on
static_assert(std::ranges::is_sorted(kShown));

/// Debian keeps the configuration of each JDK in a folder of /etc that has its version in its name.
constexpr std::string_view kJdk = "-openjdk";
constexpr std::string_view kJdkFolder = "/etc/java-";

/// Whether `path` (absolute, normalised) is part of what host_root_entries() shows.
bool is_shown(std::string_view path) {
  for (; !path.empty(); path = path.substr(0, path.rfind('/')))
    if (std::ranges::binary_search(kShown, path) ||
        (path.starts_with(kJdkFolder) && path.ends_with(kJdk)))
      return true;
  return false;
}

/// A symlink's text as an absolute path, "." and ".." taken away; links on the way are not looked
/// at.
std::string link_target(std::string_view link_path, std::string_view text) {
  std::string joined;
  if (!text.starts_with('/')) joined = link_path.substr(0, link_path.rfind('/'));
  joined.append("/").append(text);
  std::string normal;
  std::string_view rest = joined;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..")
      normal.resize(normal.empty() ? 0 : normal.rfind('/'));
    else
      normal.append("/").append(part);
  }
  return normal;
}

std::optional<std::string> read_link(const char* path) {
  char text[PATH_MAX];
  const ssize_t length = readlink(path, text, sizeof text);
  if (length <= 0 || length == sizeof text) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(length));
}

/// It is not there, or closed to the caller, and then to the command as well. All else that a call
/// may say (EIO, ENOMEM, ESTALE) leaves open what is there, and a sandbox with half a /etc has
/// programs that do other things than they should, without a word.
bool is_absent(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

Error cannot_look(std::string path, int error) {
  return {.kind = ErrorKind::host,
          .what = "cannot look at " + std::move(path) + " of the host",
          .hint =
              "the sandbox shows it, if it is there: nothing starts before that is known; "
              "dmesg(1) may tell more",
          .sys_errno = error};
}

/// One entry of the host, if it is there. A link is recreated when what it points at shows too;
/// otherwise what it resolves to is shown in its place (some distributions link /etc/localtime into
/// /var). A small file that everybody may read is copied: init, which does, is nobody's owner.
Result<void> add_host_entry(const char* name, std::vector<RootEntry>& entries) {
  struct stat facts{};
  if (lstat(name, &facts) != 0) {
    if (is_absent(errno)) return {};
    return std::unexpected(cannot_look(name, errno));
  }
  const std::string path = name;
  if (S_ISDIR(facts.st_mode)) entries.push_back({path, EntryType::directory, path});
  if (S_ISREG(facts.st_mode)) {
    const bool copy = (facts.st_mode & S_IROTH) != 0 && facts.st_size <= kMaxCopy;
    entries.push_back({path, EntryType::file, path, {}, copy});
  }
  if (!S_ISLNK(facts.st_mode)) return {};
  const std::optional<std::string> text = read_link(name);
  if (text && is_shown(link_target(path, *text))) {
    entries.push_back({path, EntryType::symlink, {}, *text});
    return {};
  }
  const SourceFacts real = look_at_source({path, {}});
  if (real.exists) entries.push_back({path, real.type, real.path});
  if (real.error != 0 && !is_absent(real.error))
    return std::unexpected(cannot_look(path, real.error));
  return {};
}

/// Without which a JVM does not start; found by the JDKs there are ("java-17-openjdk-amd64").
Result<void> add_jdks(std::vector<RootEntry>& entries) {
  constexpr const char* kThere = "/usr/lib/jvm";
  const UniqueFd folder(open(kThere, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() && is_absent(errno)) return {};
  std::vector<std::string> jdks;
  const auto listed =
      folder.valid() ? each_entry(folder.get(),
                                  [&jdks](const dirent64& entry) {
                                    const std::string_view name = entry.d_name;
                                    const std::size_t end = name.find(kJdk);
                                    if (name.starts_with("java-") && end != std::string_view::npos)
                                      jdks.emplace_back(name.substr(0, end + kJdk.size()));
                                    return SysResult<void>{};
                                  })
                     : SysResult<void>(std::unexpected(Errno{errno}));
  if (!listed) return std::unexpected(cannot_look(kThere, listed.error().value));
  for (const std::string& jdk : jdks) SBX_CHECK(add_host_entry(("/etc/" + jdk).c_str(), entries));
  return {};
}

/// Each is a mount, and has an inode of the new root, which has not many more (launch,
/// execute_mounts.cpp).
constexpr std::size_t kMostAtTop = 3000;

/// Of a root of the user's own these are not shown: every sandbox mounts or makes them itself.
bool is_made_fresh(std::string_view name) {
  constexpr std::array<std::string_view, 6> kFresh = {"dev", "lost+found", "proc",
                                                      "run", "sys",        "tmp"};
  return std::ranges::binary_search(kFresh, name);
}

Error unreadable(const std::string& dir, std::string why, int error) {
  return {.kind = ErrorKind::profile,
          .what = "the root folder " + dir + " cannot be read" + std::move(why),
          .hint = error == ENOTDIR
                      ? "a file can only be an image: --root oci:" + quote(dir)
                      : "name a folder that holds a root file system and that you may read; an "
                        "image is oci:FILE",
          .sys_errno = error};
}

SysResult<std::optional<RootEntry>> dir_entry(const std::string& root, const dirent64& entry) {
  const std::string source = root + "/" + entry.d_name;
  const std::string path = std::string("/") + entry.d_name;
  unsigned char type = entry.d_type;
  if (struct stat facts{}; type == DT_UNKNOWN) {
    if (lstat(source.c_str(), &facts) != 0) return std::unexpected(Errno{errno});
    type = static_cast<unsigned char>(IFTODT(facts.st_mode));
  }
  if (type == DT_DIR) return RootEntry{path, EntryType::directory, source};
  if (type == DT_REG) return RootEntry{path, EntryType::file, source};
  if (type != DT_LNK) return std::nullopt;  // a socket or device has no place at the top of a root
  const std::optional<std::string> text = read_link(source.c_str());
  if (!text) return std::unexpected(Errno{errno});
  return RootEntry{path, EntryType::symlink, {}, *text};
}

void sort_by_path(std::vector<RootEntry>& entries) {
  std::ranges::sort(entries, {}, &RootEntry::path);
}

}  // namespace

Result<std::vector<RootEntry>> host_root_entries() {
  std::vector<RootEntry> entries;
  entries.reserve(kShown.size());
  // By name: to list /etc would cost more than all of this.
  for (const std::string_view path : kShown)
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): of literals, which end with a 0
    SBX_CHECK(add_host_entry(path.data(), entries));
  std::vector<RootEntry> jdks;
  SBX_CHECK(add_jdks(jdks));
  for (RootEntry& jdk : jdks) {
    const auto at = std::ranges::lower_bound(entries, jdk.path, {}, &RootEntry::path);
    // One JDK may have folders for several architectures.
    if (at == entries.end() || at->path != jdk.path) entries.insert(at, std::move(jdk));
  }
  return entries;
}

Result<std::vector<RootEntry>> dir_root_entries(const std::string& dir) {
  // The user wrote this path, so links in it count; from its canonical form on none may appear.
  const SourceFacts root = look_at_source({dir, "/"});
  if (!root.exists || root.type != EntryType::directory)
    return std::unexpected(
        unreadable(dir, root.error != 0 || root.problem.empty() ? "" : ": " + root.problem,
                   root.exists ? ENOTDIR : root.error));
  if (root.path == "/")
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "the root folder is the host's own root",
                                 .hint = "use `root: host`, which shows its programs only"});
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const UniqueFd fd(
      static_cast<int>(syscall(SYS_openat2, AT_FDCWD, root.path.c_str(), &how, sizeof how)));
  if (!fd.valid()) return std::unexpected(unreadable(dir, "", errno));
  std::vector<RootEntry> entries;
  const auto listed = each_entry(fd.get(), [&](const dirent64& entry) -> SysResult<void> {
    if (is_made_fresh(entry.d_name)) return {};
    if (entries.size() == kMostAtTop) return std::unexpected(Errno{E2BIG});
    auto found = dir_entry(root.path, entry);
    // Gone since it was listed, or a link that is closed to us: no part of what is shown.
    if (!found && is_absent(found.error().value)) return {};
    if (!found) return std::unexpected(found.error());
    if (*found) entries.push_back(**std::move(found));
    return {};
  });
  if (!listed && entries.size() == kMostAtTop)
    return std::unexpected(Error{
        .kind = ErrorKind::profile,
        .what = "the root has more than " + std::to_string(kMostAtTop) + " entries at its top",
        .hint = "put them into folders of it: each at its top is mounted by itself"});
  if (!listed) return std::unexpected(unreadable(dir, "", listed.error().value));
  sort_by_path(entries);
  return entries;
}

}  // namespace sbx::os
