// When the soft memory limit counts as crossed. Readiness is made up here: only the kernel's own
// file has it (limits/test_memory_high.py).
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>

#include "../support/temp_tree.hpp"
#include "supervise/high_watch.hpp"

using namespace sbx::supervise;  // NOLINT(google-build-using-namespace)
using sbx::os::UniqueFd;
using sbx::test::TempTree;

namespace {

/// One round of the loop in which the file is ready, if anybody waits for it.
bool crossed_when_ready(HighWatch& watch) {
  PollSet set;
  watch.watch(set);
  if (set.size() > 0) set.data()[0].revents = POLLPRI | POLLERR;
  return watch.crossed(set);
}

}  // namespace

TEST_CASE("crossing the soft limit is told once, other events of memory are not") {
  const TempTree tree;
  tree.file("memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
  const UniqueFd dir(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  HighWatch watch;
  CHECK_FALSE(watch.waiting());
  watch.start(dir.get());
  CHECK(watch.waiting());
  CHECK_FALSE(crossed_when_ready(watch));
  tree.file("memory.events", "low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\n");
  CHECK_FALSE(crossed_when_ready(watch));
  tree.file("memory.events", "low 0\nhigh 2\nmax 9\noom 0\noom_kill 0\n");
  PollSet none;
  watch.watch(none);
  REQUIRE(none.size() == 1);
  CHECK_FALSE(watch.crossed(none));  // nothing is ready
  CHECK(crossed_when_ready(watch));
  CHECK_FALSE(watch.waiting());
  CHECK_FALSE(crossed_when_ready(watch));
}

TEST_CASE("without the file nobody waits, and one that says something else is let go") {
  const TempTree tree;
  const UniqueFd dir(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  HighWatch watch;
  watch.start(dir.get());
  CHECK_FALSE(watch.waiting());
  tree.file("memory.events", "low 0\n");
  watch.start(dir.get());
  REQUIRE(watch.waiting());
  CHECK_FALSE(crossed_when_ready(watch));
  CHECK_FALSE(watch.waiting());
}
