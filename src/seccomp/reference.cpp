// The one place that knows libseccomp.
#include "seccomp/reference.hpp"

#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/machine.hpp"
#include "seccomp/arg_block.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/evaluate.hpp"
#include "seccomp/grouped.hpp"

namespace sbx::seccomp {
namespace {

std::unexpected<Error> failed(const std::string& what, int error) {
  Error failure{ErrorKind::internal, "libseccomp: " + what};
  failure.sys_errno = error;
  return std::unexpected(std::move(failure));
}

struct ReleaseContext {
  void operator()(void* context) const { seccomp_release(context); }
};
using Context = std::unique_ptr<void, ReleaseContext>;

Result<Context> make_context(const Action& default_action) {
  // Level 3 has every action we use. Without this libseccomp asks the running kernel, and the
  // program would depend on the machine that built it.
  if (const int rc = seccomp_api_set(3); rc != 0) return failed("seccomp_api_set", -rc);
  Context context(seccomp_init(return_value(default_action)));
  if (!context) return failed("seccomp_init", EINVAL);
  struct Attribute {
    scmp_filter_attr name;
    std::uint32_t value;
    const char* text;
  };
  for (const Attribute& attribute :
       {Attribute{SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS, "ACT_BADARCH"},
        Attribute{SCMP_FLTATR_CTL_NNP, 0, "CTL_NNP"},
        Attribute{SCMP_FLTATR_CTL_OPTIMIZE, 2, "CTL_OPTIMIZE"}}) {
    const int rc = seccomp_attr_set(context.get(), attribute.name, attribute.value);
    if (rc != 0) return failed(attribute.text, -rc);
  }
  return context;
}

/// libseccomp 2.5.4 writes its program to a descriptor only.
Result<std::vector<sock_filter>> export_program(void* context) {
  struct File {
    int fd = memfd_create("sbx-filter", MFD_CLOEXEC);
    ~File() {
      if (fd >= 0) close(fd);
    }
  };
  const File file;
  if (file.fd < 0) return failed("memfd_create", errno);
  if (const int rc = seccomp_export_bpf(context, file.fd); rc != 0) {
    return failed("seccomp_export_bpf", -rc);
  }
  const off_t size = lseek(file.fd, 0, SEEK_END);
  if (size <= 0 || size % static_cast<off_t>(sizeof(sock_filter)) != 0) {
    return failed("size of the exported program", errno);
  }
  std::vector<sock_filter> program(static_cast<std::size_t>(size) / sizeof(sock_filter));
  if (pread(file.fd, program.data(), static_cast<std::size_t>(size), 0) != size) {
    return failed("reading the exported program", errno);
  }
  return program;
}

constexpr std::uint32_t kLibseccompMachine =
    kMachine == Machine::x86_64 ? SCMP_ARCH_X86_64 : SCMP_ARCH_AARCH64;

/// Our names and numbers against libseccomp's, as far as it knows them.
void compare_names(std::vector<std::string>& found) {
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      const std::string name(call.name);
      const int number = seccomp_syscall_resolve_name_arch(kLibseccompMachine, name.c_str());
      // A call that only other machines have is a negative number for it.
      const int ours = call.exists() ? call.number() : -1;
      if (number != __NR_SCMP_ERROR && std::max(number, -1) != ours) {
        found.push_back(name + " is " + std::to_string(number) + " for libseccomp, not " +
                        std::to_string(ours));
      }
    }
  }
  for (unsigned number = 0; number <= kLastNumber; ++number) {
    const std::unique_ptr<char, decltype(&std::free)> name(
        seccomp_syscall_resolve_num_arch(kLibseccompMachine, static_cast<int>(number)), &std::free);
    if (!name) continue;
    const auto facts = find_call(number);
    if (!facts || facts.call->name != std::string_view(name.get())) {
      found.push_back("the table lacks " + std::string(name.get()));
    }
  }
}

/// What reference_program() returns for a call with argument rules.
std::uint32_t reference_mark(unsigned number) { return SCMP_ACT_TRACE(number); }

/// Compiles `policy` with libseccomp (binary tree, foreign architectures killed). Argument rules
/// are not given to libseccomp, which takes one comparison of an argument per rule and orders
/// overlapping rules by itself: a call that has some answers with reference_mark(number) instead.
Result<std::vector<sock_filter>> reference_program(const Policy& policy) {
  const std::vector<CallRules> calls = SBX_TRY(group_by_call(policy));
  const Context context = SBX_TRY(make_context(policy.default_action));
  for (const CallRules& call : calls) {
    const Action& action = call.rules.front()->action;
    // libseccomp refuses a rule that says what the default says.
    if (call.plain() && action == policy.default_action) continue;
    const std::uint32_t value = call.plain() ? return_value(action) : reference_mark(call.number);
    const int rc = seccomp_rule_add_exact_array(context.get(), value, static_cast<int>(call.number),
                                                0, nullptr);
    if (rc != 0) return failed("rule for " + call.rules.front()->call, -rc);
  }
  return export_program(context.get());
}

}  // namespace

Result<std::vector<std::string>> differences(const Policy& policy,
                                             const std::vector<sock_filter>& program) {
  const std::vector<sock_filter> reference = SBX_TRY(reference_program(policy));
  std::vector<std::string> found;
  compare_names(found);
  for (const std::uint32_t arch : {kOwnArchitecture, kOtherArchitecture}) {
    for (const std::uint32_t base : {0U, kX32Bit, 0x80000000U, 0U - 1024U}) {
      for (std::uint32_t offset = 0; offset < 1024; ++offset) {
        seccomp_data data{};
        data.nr = static_cast<int>(base + offset);
        data.arch = arch;
        const auto theirs = evaluate(reference, data);
        const auto ours = evaluate(program, data);
        const bool by_argument = theirs == reference_mark(base + offset);
        if (!ours || !theirs || (!by_argument && *ours != *theirs)) {
          found.push_back("answer for number " + std::to_string(base + offset) + " of table " +
                          std::to_string(arch));
        }
      }
    }
  }
  return found;
}

}  // namespace sbx::seccomp
