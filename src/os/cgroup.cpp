// Makes and removes one cgroup of a run, by its own files below open folders: libcgroup would look
// up paths again and again, and reads every mount of the host for each value. Runs in the
// supervisor.
#include "os/cgroup.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fail.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_place.hpp"
#include "os/cgroup_remove.hpp"
#include "os/cpuset.hpp"
#include "os/folder.hpp"

namespace sbx::os {

struct Cgroup::State {
  UniqueFd parent;
  UniqueFd dir;  ///< locked as long as it is open
  std::string name;
  std::vector<std::string> controllers;
  int version = 0;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kProcessors = "cpuset.cpus";
constexpr int kMaxAttempts = 100;
constexpr auto kSweepWithin = std::chrono::milliseconds(250);

SysResult<void> write_setting(int dir_fd, const CgroupSpec::Setting& setting, int version) {
  // An empty value would be a limit that is missing silently.
  if (setting.value.empty() || setting.file.empty() || setting.file.contains('/'))
    return std::unexpected(Errno{EINVAL});
  SBX_CHECK(write_control_lines(dir_fd, setting.file.c_str(), setting.value));
  if (setting.file != kProcessors) return {};
  return check_processors(dir_fd, version, setting.value);
}

/// v1 cpusets start empty and take no process (ENOSPC) until both lists are filled (cpuset(7)).
std::vector<CgroupSpec::Setting> inherited_cpuset(int parent_fd, const CgroupSpec& spec) {
  std::vector<CgroupSpec::Setting> inherited;
  if (spec.version != 1 || std::ranges::find(spec.controllers, "cpuset") == spec.controllers.end())
    return inherited;
  for (const char* file : {"cpuset.mems", "cpuset.cpus"}) {
    if (std::ranges::find(spec.settings, file, &CgroupSpec::Setting::file) == spec.settings.end())
      inherited.push_back({file, read_control(parent_fd, file)});
  }
  return inherited;
}

/// Of a refused list of processors: those that the group above has. Else nothing.
std::string what_there_is(int parent_fd, std::string_view file, int version) {
  const std::string there = file == kProcessors ? processors_there(parent_fd, version) : "";
  return there.empty() ? "" : ", where there are the processors " + there;
}

/// False: somebody keeps the lock for longer than a sweep does, such as one that was stopped in it:
/// it could hold us up for ever.
SysResult<bool> take_lock(int dir_fd) {
  const auto deadline = Clock::now() + kSweepWithin;
  while (flock(dir_fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail();
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Opens the new group and locks it, which tells a sweep that somebody lives. A sweep that came in
/// between has removed it, or holds the lock and is about to: then it is made again. So it is when
/// somebody else holds it, who is left with what is gone.
SysResult<UniqueFd> lock_group(int parent_fd, const char* name) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    UniqueFd dir(openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!dir.valid() && errno != ENOENT) return fail();
    if (dir.valid()) {
      const bool locked = SBX_TRY(take_lock(dir.get()));
      if (locked && is_named(parent_fd, name, dir.get())) return dir;
      if (!locked && unlinkat(parent_fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT) return fail();
    }
    SBX_CHECK(make_group_folder(parent_fd, name, EEXIST, GroupFolder::of_run));
  }
  return std::unexpected(Errno{EBUSY});
}

}  // namespace

SysResult<Cgroup> Cgroup::create(const CgroupSpec& spec, std::string& said) {
  if (!spec.name.starts_with("sbx-") || spec.name.contains('/'))
    return std::unexpected(Errno{EINVAL});
  SysResult<Cgroup> made = std::unexpected(Errno{ENOENT});
  for (const CgroupHome& home : spec.homes) {
    std::string at;
    made = create_at(home, spec, at);
    if (made) return set_up(std::move(*made), spec, at, said);
    if (!said.empty()) said += ", ";
    said += at;
    if (&home != &spec.homes.back())
      said += " (" + std::system_category().message(made.error().value) + ")";
  }
  return made;
}

SysResult<Cgroup> Cgroup::create_at(const CgroupHome& home, const CgroupSpec& spec,
                                    std::string& at) {
  auto state = std::make_unique<State>();
  state->parent = SBX_TRY(prepare_home(home, spec, at));
  state->name = spec.name;
  state->version = spec.version;
  state->controllers = spec.controllers;
  at += "/" + spec.name;
  SBX_CHECK(make_group_folder(state->parent.get(), spec.name.c_str(), 0, GroupFolder::of_run));
  return Cgroup(state.release());  // from here on the destructor removes it again
}

SysResult<Cgroup> Cgroup::set_up(Cgroup group, const CgroupSpec& spec, const std::string& path,
                                 std::string& said) {
  State& state = *group.state_;
  said = path;
  state.dir = SBX_TRY(lock_group(state.parent.get(), spec.name.c_str()));
  std::vector<CgroupSpec::Setting> settings = inherited_cpuset(state.parent.get(), spec);
  settings.insert(settings.end(), spec.settings.begin(), spec.settings.end());
  for (const CgroupSpec::Setting& setting : settings) {
    said = path + "/" + setting.file;
    const SysResult<void> written = write_setting(state.dir.get(), setting, state.version);
    if (written) continue;
    said += what_there_is(state.parent.get(), setting.file, state.version);
    return std::unexpected(written.error());
  }
  said.clear();
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
  if (!file.valid()) return fail();
  return file;
}

SysResult<void> Cgroup::kill() const {
  if (version() != 2) return std::unexpected(Errno{ENOSYS});
  auto written = write_control(fd(), "cgroup.kill", "1");
  if (!written && written.error().value == ENOENT) return std::unexpected(Errno{ENOSYS});  // < 5.14
  return written;
}

int Cgroup::fd() const { return state_ == nullptr ? -1 : state_->dir.get(); }
int Cgroup::parent_fd() const { return state_ == nullptr ? -1 : state_->parent.get(); }
int Cgroup::version() const { return state_ == nullptr ? 0 : state_->version; }

bool Cgroup::has(std::string_view controller) const {
  return state_ != nullptr &&
         std::ranges::find(state_->controllers, controller) != state_->controllers.end();
}

}  // namespace sbx::os
