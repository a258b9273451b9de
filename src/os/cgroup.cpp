// Makes and removes one cgroup of a run. libcgroup stays inside this file; where it cannot do a
// thing safely the group's own files are used, and the place says why. Runs in the supervisor.
#include "os/cgroup.hpp"

#include <fcntl.h>
#include <libcgroup.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "os/cgroup_remove.hpp"

namespace sbx::os {

struct Cgroup::State {
  UniqueFd parent;
  UniqueFd dir;  ///< locked as long as it is open
  std::string name;
  std::vector<std::string> controllers;
  int version = 0;
};

namespace {

/// A control file takes a value in one write(2) or refuses it.
SysResult<void> write_once(int dir_fd, const char* file, std::string_view value) {
  const UniqueFd out(openat(dir_fd, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!out.valid()) return std::unexpected(Errno{errno});
  ssize_t done = 0;
  do done = write(out.get(), value.data(), value.size());
  while (done < 0 && errno == EINTR);
  if (done < 0) return std::unexpected(Errno{errno});
  return {};
}

/// Several lines (one a device in io.max) are several writes: the kernel takes one at a time.
SysResult<void> write_lines(int dir_fd, const char* file, std::string_view value) {
  while (!value.empty()) {
    const std::size_t end = value.find('\n');
    const std::string_view line = value.substr(0, end);
    value.remove_prefix(end == std::string_view::npos ? value.size() : end + 1);
    if (!line.empty()) SBX_CHECK(write_once(dir_fd, file, line));
  }
  return {};
}

std::string read_line(int dir_fd, const char* file) {
  const UniqueFd in(openat(dir_fd, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  char text[4096];
  const ssize_t got = in.valid() ? read(in.get(), text, sizeof text) : -1;
  std::string line(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  line.resize(std::min(line.size(), line.find('\n')));
  return line;
}

bool has_word(std::string_view line, std::string_view word) {
  while (!line.empty()) {
    const std::size_t end = line.find(' ');
    if (line.substr(0, end) == word) return true;
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return false;
}

// ---- libcgroup

void discard_log(void*, int, const char*, va_list) {}

/// cgroup_init() reads /proc/cgroups and every mount: once, and only when a group is made. Its
/// default logger writes to stdout, which belongs to the payload.
bool libcgroup_ready() {
  static const bool ready = [] {
    cgroup_set_logger(&discard_log, 0, nullptr);
    return cgroup_init() == 0;
  }();
  return ready;
}

/// libcgroup knows one mount a controller, the first one in /proc/mounts. Where ours is another (a
/// second mount in a container), or a v2 group needs no controller, it would write elsewhere.
bool libcgroup_serves(const CgroupSpec& spec) {
  if (spec.controllers.empty() || !libcgroup_ready()) return false;
  char* found = nullptr;
  if (cgroup_get_subsys_mount_point(spec.controllers.front().c_str(), &found) != 0) return false;
  const std::unique_ptr<char, decltype(&free)> mount(found, &free);
  return spec.mount == mount.get();
}

struct FreeCgroup {
  void operator()(struct cgroup* group) const { cgroup_free(&group); }
};

/// The errno behind a libcgroup code. A file that cannot be opened is ECGROUPVALUENOTEXIST whatever
/// the reason, and only errno still tells it.
int errno_of(int code, int left_errno) {
  if (code == ECGOTHER && cgroup_get_last_errno() != 0) return cgroup_get_last_errno();
  if (code == ECGROUPVALUENOTEXIST && left_errno != 0) return left_errno;
  if (code == ECGROUPNOTALLOWED || code == ECGROUPNOTOWNER) return EPERM;
  return ENOENT;
}

/// One value at a time, because libcgroup does not tell which of several failed. The group is
/// handed over as existing: cgroup_create_cgroup() takes EEXIST for success, and on v2 it writes
/// every cgroup.subtree_control from the root down, which only root may and nobody should.
SysResult<void> write_by_libcgroup(const CgroupSpec& spec, const CgroupSpec::Setting& setting) {
  const std::string path = (spec.parent == "/" ? "" : spec.parent) + "/" + spec.name;
  const std::unique_ptr<struct cgroup, FreeCgroup> group(cgroup_new_cgroup(path.c_str()));
  if (!group) return std::unexpected(Errno{ENOMEM});
  cgroup_controller* const controller =
      cgroup_add_controller(group.get(), spec.controllers.front().c_str());
  if (controller == nullptr ||
      cgroup_add_value_string(controller, setting.file.c_str(), setting.value.c_str()) != 0)
    return std::unexpected(Errno{ENOMEM});
  errno = 0;
  const int code = cgroup_modify_cgroup(group.get());
  if (code != 0) return std::unexpected(Errno{errno_of(code, errno)});
  return {};
}

// ---- making

constexpr int kMaxAttempts = 100;
constexpr std::size_t kLibcgroupValue = 4096;  // CG_CONTROL_VALUE_MAX; longer ones it refuses aloud

SysResult<void> write_setting(int dir_fd, bool libcgroup, const CgroupSpec& spec,
                              const CgroupSpec::Setting& setting) {
  // libcgroup skips an empty value with success: a limit would be missing silently.
  if (setting.value.empty() || setting.file.empty() || setting.file.contains('/'))
    return std::unexpected(Errno{EINVAL});
  if (libcgroup && setting.value.size() < kLibcgroupValue) return write_by_libcgroup(spec, setting);
  return write_lines(dir_fd, setting.file.c_str(), setting.value);
}

/// v2: a controller works in our group only when the parent hands it down.
SysResult<void> hand_down(int parent_fd, const std::vector<std::string>& controllers) {
  const std::string enabled = read_line(parent_fd, "cgroup.subtree_control");
  for (const std::string& controller : controllers) {
    if (has_word(enabled, controller)) continue;
    SBX_CHECK(write_once(parent_fd, "cgroup.subtree_control", "+" + controller));
  }
  return {};
}

/// v1 cpusets start empty and take no process (ENOSPC) until both lists are filled (cpuset(7)).
std::vector<CgroupSpec::Setting> inherited_cpuset(int parent_fd, const CgroupSpec& spec) {
  std::vector<CgroupSpec::Setting> inherited;
  if (spec.version != 1 || std::ranges::find(spec.controllers, "cpuset") == spec.controllers.end())
    return inherited;
  for (const char* file : {"cpuset.mems", "cpuset.cpus"}) {
    if (std::ranges::find(spec.settings, file, &CgroupSpec::Setting::file) == spec.settings.end())
      inherited.push_back({file, read_line(parent_fd, file)});
  }
  return inherited;
}

/// Makes the group's folder; an errno of `tolerated` (0: none) is fine. The caller's umask may take
/// our own rights to it, so the mode is set again; a sweep may have removed it by then.
SysResult<void> make_group(int parent_fd, const char* name, int tolerated) {
  if (mkdirat(parent_fd, name, 0755) != 0) {
    if (errno == tolerated) return {};
    return std::unexpected(Errno{errno});
  }
  if (fchmodat(parent_fd, name, 0755, 0) != 0 && errno != ENOENT)
    return std::unexpected(Errno{errno});
  return {};
}

/// Opens the new group and locks it, which tells a sweep that somebody lives. A sweep that came in
/// between has removed it, or holds the lock and is about to: then it is made again.
SysResult<UniqueFd> lock_group(int parent_fd, const char* name) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    UniqueFd dir(openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!dir.valid() && errno != ENOENT) return std::unexpected(Errno{errno});
    if (dir.valid()) {
      if (flock(dir.get(), LOCK_EX) != 0) return std::unexpected(Errno{errno});
      struct stat locked{};
      struct stat named{};
      if (fstat(dir.get(), &locked) != 0) return std::unexpected(Errno{errno});
      if (fstatat(parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
          named.st_ino == locked.st_ino)
        return dir;
    }
    SBX_CHECK(make_group(parent_fd, name, EEXIST));
  }
  return std::unexpected(Errno{EBUSY});
}

}  // namespace

SysResult<Cgroup> Cgroup::create(const CgroupSpec& spec, std::string& failed_file) {
  failed_file = cgroup_folder(spec.mount, spec.parent);
  const std::string path = failed_file + "/" + spec.name;
  if (!spec.name.starts_with("sbx-") || spec.name.contains('/'))
    return std::unexpected(Errno{EINVAL});
  auto state = std::make_unique<State>();
  state->parent.reset(open(failed_file.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!state->parent.valid()) return std::unexpected(Errno{errno});
  if (spec.version == 2) {
    failed_file += "/cgroup.subtree_control";
    SBX_CHECK(hand_down(state->parent.get(), spec.controllers));
  }
  state->name = spec.name;
  state->version = spec.version;
  state->controllers = spec.controllers;

  failed_file = path;
  SBX_CHECK(make_group(state->parent.get(), spec.name.c_str(), 0));
  Cgroup group(state.release());  // from here on the destructor removes it again
  UniqueFd& dir = group.state_->dir;
  dir = SBX_TRY(lock_group(group.state_->parent.get(), spec.name.c_str()));

  const bool libcgroup = libcgroup_serves(spec);
  std::vector<CgroupSpec::Setting> settings = inherited_cpuset(group.state_->parent.get(), spec);
  settings.insert(settings.end(), spec.settings.begin(), spec.settings.end());
  for (const CgroupSpec::Setting& setting : settings) {
    failed_file = path + "/" + setting.file;
    SBX_CHECK(write_setting(dir.get(), libcgroup, spec, setting));
  }
  failed_file.clear();
  return group;
}

Cgroup::Cgroup(State* state) : state_(state) {}
Cgroup::Cgroup(Cgroup&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    const Cgroup old(std::exchange(state_, std::exchange(other.state_, nullptr)));
  }
  return *this;
}

Cgroup::~Cgroup() {
  if (state_ == nullptr) return;
  remove_cgroup(state_->parent.get(), state_->dir.get(), state_->name.c_str(), state_->version);
  delete state_;
}

SysResult<UniqueFd> Cgroup::open_tasks() const {
  if (state_ == nullptr) return std::unexpected(Errno{EBADF});
  UniqueFd file(openat(state_->dir.get(), "tasks", O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return std::unexpected(Errno{errno});
  return file;
}

SysResult<void> Cgroup::kill() const {
  if (version() != 2) return std::unexpected(Errno{ENOSYS});
  auto written = write_once(fd(), "cgroup.kill", "1");
  if (!written && written.error().value == ENOENT) return std::unexpected(Errno{ENOSYS});  // < 5.14
  return written;
}

int Cgroup::fd() const { return state_ == nullptr ? -1 : state_->dir.get(); }
int Cgroup::version() const { return state_ == nullptr ? 0 : state_->version; }

bool Cgroup::has(std::string_view controller) const {
  return state_ != nullptr &&
         std::ranges::find(state_->controllers, controller) != state_->controllers.end();
}

}  // namespace sbx::os
