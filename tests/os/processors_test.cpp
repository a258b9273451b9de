// Where the kernel is to begin a new process.
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "os/processors.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)

namespace {

/// A child of ours that runs `work`, and ends with the test.
class Child {
 public:
  explicit Child(void (*work)()) : pid_(::fork()) {
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    work();
    ::_exit(0);
  }
  Child(Child&& other) noexcept : pid_(other.pid_) { other.pid_ = 0; }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

[[noreturn]] void spin() {
  for (volatile unsigned turns = 0;;) turns = turns + 1;
}

void wait_for_end() { ::pause(); }

cpu_set_t processors_of(pid_t pid) {
  cpu_set_t set;
  REQUIRE(::sched_getaffinity(pid, sizeof set, &set) == 0);
  return set;
}

}  // namespace

// One that somebody else has keeps a new process waiting for the rest of his time slice, of
// whatever weight he is: longer than ours would.
TEST_CASE("a child is not sent to a processor that somebody else has") {
  const cpu_set_t all = processors_of(0);
  std::vector<Child> busy;
  for (int others = 1; others < CPU_COUNT(&all); ++others) busy.emplace_back(spin);
  const os::Processors processors = os::Processors::usable();
  const Child child(wait_for_end);
  processors.send_away(child.pid());
  const cpu_set_t after = processors_of(child.pid());
  CHECK(CPU_EQUAL(&after, &all));
}
