// The program with a defence taken away: how the attack tests show that an attack works when
// nothing stops it, and how the fault tests break each step in turn. Never installed.
//
//   SBX_TEST_WITHOUT=kind[,kind...]      steps of these kinds (plan/kinds.hpp) are left out;
//   instead of
//                                        set_dumpable, init is made dumpable: its change of ids has
//                                        made it undumpable already
//   SBX_TEST_CLONE_WITHOUT=net[,ipc...]  these namespaces are not made, nor what is done in them
//   SBX_TEST_FAIL_AT=INDEX:ERRNO         a failing step is put before step INDEX (from 0)
//   SBX_TEST_KEEP_FDS=1                  the caller's descriptors stay open
#include <fcntl.h>
#include <linux/sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/front.hpp"
#include "os/pipe.hpp"
#include "plan/kinds.hpp"

namespace {

using sbx::plan::Plan;
using sbx::plan::Step;

constexpr int kMaxDescriptor = 256;
constexpr std::string_view kDumpable = "set_dumpable";

std::vector<std::string_view> words(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::vector<std::string_view>{} : sbx::split(value, ',');
}

[[noreturn]] void refuse(std::string_view what, std::string_view word) {
  std::fprintf(stderr, "sbx_weakened: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(word.size()), word.data());
  std::exit(99);  // a mistake in a test must never look like a contained attack
}

void remove_steps(Plan& plan) {
  for (const std::string_view kind : words("SBX_TEST_WITHOUT")) {
    if (kind.empty()) continue;
    if (std::ranges::find(sbx::plan::kKindNames, kind) == sbx::plan::kKindNames.end())
      refuse("no such kind of step", kind);
    for (Step& step : plan.steps)
      if (auto* set = std::get_if<sbx::plan::SetDumpable>(&step.action))
        set->dumpable = set->dumpable || kind == kDumpable;
    for (Step& step : plan.steps)  // which protects paths on its way
      if (auto* mask = std::get_if<sbx::plan::MaskGlob>(&step.action))
        if (kind == "protect_path") mask->held.clear();
    if (kind == kDumpable) continue;
    std::erase_if(plan.steps, [&](const Step& step) { return kind_name(step.action) == kind; });
  }
}

struct Namespace {
  std::string_view name;
  std::uint64_t flag;
  std::vector<std::string_view> steps;  // that make it, or are only meaningful with it
};
const std::vector<Namespace> kNamespaces{
    {"net", 0, {"new_network", "raise_loopback", "route_to_self", "open_gateway", "enter_network"}},
    {"ipc", CLONE_NEWIPC, {}},
    {"uts", CLONE_NEWUTS, {"set_hostname"}},
    {"cgroup", CLONE_NEWCGROUP, {"unshare_cgroup"}}};

void share_namespaces(Plan& plan) {
  for (const std::string_view name : words("SBX_TEST_CLONE_WITHOUT")) {
    const auto found = std::ranges::find(kNamespaces, name, &Namespace::name);
    if (found == kNamespaces.end()) refuse("no such namespace", name);
    std::erase_if(plan.steps, [&](const Step& step) {
      return std::ranges::find(found->steps, kind_name(step.action)) != found->steps.end();
    });
    for (Step& step : plan.steps)
      if (auto* clone = std::get_if<sbx::plan::CloneNamespaces>(&step.action))
        clone->flags &= ~found->flag;
  }
}

void insert_failure(Plan& plan) {
  const char* value = std::getenv("SBX_TEST_FAIL_AT");
  if (value == nullptr) return;
  unsigned long index = 0;
  int error = 0;
  if (std::sscanf(value, "%lu:%d", &index, &error) != 2 || index >= plan.steps.size())
    refuse("not INDEX:ERRNO of this plan", value);
  const auto at = plan.steps.begin() + static_cast<std::ptrdiff_t>(index);
  plan.steps.insert(at, Step{at->phase, sbx::plan::Fail{error}, "a test", {}});
}

void keep_descriptors() {
  if (std::getenv("SBX_TEST_KEEP_FDS") == nullptr) return;
  for (int fd = 3; fd < kMaxDescriptor; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0) ::fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
  }
}

void weaken(Plan& plan) {
  remove_steps(plan);
  share_namespaces(plan);
  insert_failure(plan);
  keep_descriptors();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (!sbx::os::fill_standard_fds()) return 125;
    return sbx::cli::front(argc, argv, weaken);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "sbx_weakened: %s\n", failure.what());
    return 125;
  }
}
