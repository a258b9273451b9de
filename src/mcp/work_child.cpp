#include "mcp/work_child.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "os/own_program.hpp"
#include "os/pipe.hpp"
#include "os/process.hpp"
#include "os/whole_file.hpp"

namespace sbx::mcp {
namespace {

using supervise::kNotPolled;

struct Job {
  const WorkChild::Work* work;
  int out;
};

void do_job(void* argument) noexcept {
  const Job& job = *static_cast<const Job*>(argument);
  try {
    // An error: nobody wants it any more.
    (void)os::write_all(job.out, line_of((*job.work)()));
  } catch (const std::exception& failure) {
    log::write(log::Level::warning, failure.what());  // not enough memory, say
  }
}

}  // namespace

Result<WorkChild> WorkChild::start(const Work& work) {
  const auto made = [&work]() -> SysResult<WorkChild> {
    WorkChild child;
    auto answer = SBX_TRY(os::make_pipe(0));
    Job job{&work, answer.write.get()};
    auto started = SBX_TRY(os::start_copy(do_job, &job));
    child.pid_ = started.pid;
    child.pidfd_ = std::move(started.pidfd);
    child.answer_ = std::move(answer.read);
    return child;
  };
  auto child = made();
  if (child) return std::move(*child);
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = "cannot start a process for this",
                               .sys_errno = child.error().value});
}

WorkChild::~WorkChild() {
  answer_.reset();
  if (!pidfd_.valid() || pid_ == 0) return;
  (void)os::wait_for(pid_);
}

void WorkChild::kill() {
  if (pid_ != 0) (void)os::signal_process(pidfd_.get(), SIGKILL);
}

void WorkChild::watch(supervise::PollSet& set) {
  ended_index_ = pid_ == 0 ? kNotPolled : set.add(pidfd_.get(), POLLIN);
  answer_index_ = answer_.valid() ? set.add(answer_.get(), POLLIN) : kNotPolled;
}

void WorkChild::step(const supervise::PollSet& set) {
  if (set.revents(answer_index_) != 0) {
    char bytes[65536];
    const ssize_t n = ::read(answer_.get(), bytes, sizeof bytes);
    if (n > 0)
      text_.append(bytes, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      answer_.reset();
  }
  if (set.revents(ended_index_) != 0 && pid_ != 0) {
    (void)os::wait_for(pid_);
    pid_ = 0;
  }
}

Json WorkChild::answer() const {
  const Json answer = Json::parse(text_, nullptr, false);
  return answer.is_object() ? answer : Json();
}

}  // namespace sbx::mcp
