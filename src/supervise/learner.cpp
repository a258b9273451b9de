#include "supervise/learner.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/machine.hpp"
#include "os/thread_facts.hpp"
#include "os/thread_memory.hpp"
#include "seccomp/advice.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/evaluate.hpp"
#include "seccomp/notify.hpp"
#include "seccomp/path_calls.hpp"

namespace sbx::supervise {
namespace {

bool opens_to_change(std::uint64_t flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

/// Optional groups that end with the sandbox and reach nothing outside of it. The others are noted
/// as needed, and refused all the same: keys and rings of the caller's, and the like.
bool is_given(const seccomp::Group& group, const plan::Plan& plan) {
  if (group.name == "@network-io" && plan.network == profile::NetworkMode::host) return false;
  return group.standing == seccomp::Standing::allowed || group.name == "@debug";
}

std::string name_of(pid_t thread) {
  return os::thread_facts(thread).value_or(os::ThreadFacts{}).name;
}

/// The absolute path that one of the call's arguments names.
std::optional<std::string> path_in(const os::SeccompNotice& notice,
                                   const seccomp::PathCall& where) {
  auto path = os::thread_text(notice.thread, notice.call.args[where.path]);
  if (!path || path->empty()) return std::nullopt;
  if (path->front() == '/') return path;
  const int begin = where.folder < 0 ? AT_FDCWD : static_cast<int>(notice.call.args[where.folder]);
  const auto folder = os::thread_folder(notice.thread, begin);
  if (!folder) return std::nullopt;
  return *folder + "/" + *path;
}

}  // namespace

void Learner::start(const plan::Plan& plan) {
  if (plan.supervision.learning == plan::Learning::off) return;
  plan_ = &plan;
  opened_ = plan.seccomp;
  reads_ = !seccomp::may_hold_reader(plan.filter.program());
  seen_.incomplete = !reads_;
}

void Learner::saw_allowed(const os::SeccompNotice& notice, const os::SeccompListener& listener) {
  const auto number = static_cast<std::uint32_t>(notice.call.nr);
  if (plan_->supervision.learning == plan::Learning::tight) add_call(notice);
  if (!reads_) return;
  for (const seccomp::PathCall& where : seccomp::path_calls()) {
    if (where.number != number || full_) continue;
    auto path = path_in(notice, where);
    // What was read belongs to this caller only if it still waits now (seccomp_unotify(2)).
    if (!path || !listener.stands(notice)) continue;
    const bool changes =
        where.changes || (where.flags >= 0 && opens_to_change(notice.call.args[where.flags]));
    add_path(std::move(*path), changes, notice.thread);
  }
}

/// What makes processes is not heard (seccomp::kForks): it was called when there is another one, or
/// when somebody waits for one.
void Learner::add_call(const os::SeccompNotice& notice) {
  seen_.allowed.insert(static_cast<std::uint32_t>(notice.call.nr));
  if (first_ == 0) first_ = notice.thread;
  const bool waits = notice.call.nr == SYS_wait4 || notice.call.nr == SYS_waitid;
  if (forks_ || (notice.thread == first_ && !waits)) return;
  forks_ = true;
  for (const std::uint32_t number : seccomp::kForks) {
    seccomp_data call{};
    call.nr = static_cast<int>(number);
    call.arch = kOwnArchitecture;
    if (seccomp::evaluate(plan_->filter.program(), call) == std::uint32_t{SECCOMP_RET_ALLOW})
      seen_.allowed.insert(number);
  }
}

void Learner::add_path(std::string path, bool changes, pid_t thread) {
  path = std::filesystem::path(path).lexically_normal().string();
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto known = seen_.paths.find(path);
  if (known != seen_.paths.end()) {
    known->second.changes = known->second.changes || changes;
  } else if (seen_.paths.size() == kMostPaths || bytes_ + path.size() > kMostBytes) {
    seen_.incomplete = full_ = true;
  } else {
    bytes_ += path.size();
    seen_.paths.emplace(std::move(path), SeenPath{name_of(thread), changes});
  }
}

bool Learner::saw_denied(const os::SeccompNotice& notice, const std::string& comm) {
  const seccomp::CallFacts facts = seccomp::find_call(static_cast<unsigned>(notice.call.nr));
  if (!facts || facts.group->standing == seccomp::Standing::never) return false;
  const bool given = is_given(*facts.group, *plan_);
  if (!note_need(notice, comm, given)) return false;
  // One entry lets a whole group through: an exact list needs each of its calls.
  seen_.allowed.insert(static_cast<std::uint32_t>(notice.call.nr));
  return given;
}

bool Learner::note_need(const os::SeccompNotice& notice, const std::string& comm, bool given) {
  if (!program_.empty() &&
      seccomp::evaluate(program_, notice.call) == std::uint32_t{SECCOMP_RET_ALLOW})
    return true;
  seccomp::Request opened = opened_;
  if (seen_.needed.size() == kMostCalls || !seccomp::allow_call(opened, notice.call)) return false;
  // What the profile denies or narrows by name is its author's decision, and no need of the
  // command.
  if (opened.deny != opened_.deny || opened.args != opened_.args) return false;
  auto filter = seccomp::filter_for(opened);
  if (!filter) return false;
  opened_ = std::move(opened);
  program_.assign(filter->program().begin(), filter->program().end());
  seen_.needed.push_back({notice.call, comm, given});
  return true;
}

}  // namespace sbx::supervise
