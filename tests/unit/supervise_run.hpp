// One whole run of the supervisor over a fake sandbox, with files for its streams.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "supervise/supervisor.hpp"
#include "supervise_fake.hpp"

namespace sbx::supervise::testing {

inline os::UniqueFd scratch_file(std::string_view content = "") {
  char name[] = "/tmp/sbx-unit-XXXXXX";
  os::UniqueFd file(::mkostemp(name, O_CLOEXEC));
  REQUIRE(file.valid());
  ::unlink(name);
  REQUIRE(::write(file.get(), content.data(), content.size()) ==
          static_cast<ssize_t>(content.size()));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

inline std::string content_of(const os::UniqueFd& file) {
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(size), '\0');
  REQUIRE(::pread(file.get(), text.data(), text.size(), 0) == size);
  return text;
}

struct Ran {
  Outcome outcome;
  std::string out;
  std::string err;
  double seconds = 0;
};

/// Runs `script` with our own 0, 1 and 2 replaced by files meanwhile. SIGPIPE is ignored, as the
/// program does from its start (cli/guard_process.hpp).
inline Ran run(const std::string& script, plan::Supervision how = {}, std::string_view input = "",
               const Sinks& sinks = {}, bool one_file = false) {
  ::signal(SIGPIPE, SIG_IGN);
  plan::Plan plan;
  plan.argv = {script};
  plan.supervision = how;
  const os::UniqueFd in = scratch_file(input);
  const os::UniqueFd out = scratch_file();
  const os::UniqueFd err = scratch_file();
  const int with[] = {in.get(), out.get(), one_file ? out.get() : err.get()};
  os::UniqueFd saved[3];
  for (int fd = 0; fd < 3; ++fd) {
    saved[fd].reset(::fcntl(fd, F_DUPFD_CLOEXEC, 10));
    ::dup2(with[fd], fd);
  }
  Ran ran;
  const Nanos begin = now_ns();
  ran.outcome = supervise::supervise(plan, sinks, fake_launch);
  ran.seconds = static_cast<double>(now_ns() - begin) / kSecond;
  for (int fd = 0; fd < 3; ++fd) ::dup2(saved[fd].get(), fd);
  ran.out = content_of(out);
  ran.err = content_of(err);
  return ran;
}

}  // namespace sbx::supervise::testing
