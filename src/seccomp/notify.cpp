#include "seccomp/notify.hpp"

#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/machine.hpp"
#include "seccomp/evaluate.hpp"

namespace sbx::seccomp {
namespace {

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;

seccomp_data native(const OwnCall& call) {
  seccomp_data data{};
  data.nr = static_cast<int>(call.number);
  data.arch = kOwnArchitecture;
  data.args[0] = call.first_argument;
  return data;
}

bool is_narrowed(const Request& request, const OwnCall& call) {
  const CallFacts facts = find_call(call.number);
  return std::ranges::any_of(
      request.args, [&](const ArgAllow& entry) { return facts && entry.call == facts.call->name; });
}

/// A program that answers each call as `answer` says and goes on behind itself with all others.
template <class AnswerOf>
std::vector<sock_filter> answering(std::span<const OwnCall> calls, AnswerOf answer) {
  constexpr std::size_t kEach = 5;
  const auto all = static_cast<std::uint8_t>(calls.size() * kEach);
  std::vector<sock_filter> program{{kLoad, 0, 0, offsetof(seccomp_data, arch)},
                                   {kIfEqual, 0, all, kOwnArchitecture}};
  for (const OwnCall& call : calls) {
    program.push_back({kLoad, 0, 0, offsetof(seccomp_data, nr)});
    program.push_back({kIfEqual, 0, 3, call.number});
    program.push_back({kLoad, 0, 0, offsetof(seccomp_data, args)});
    program.push_back({kIfEqual, 0, 1, call.first_argument});
    program.push_back({kReturn, 0, 0, answer(call)});
  }
  return program;
}

/// In front of a program: what is loaded is the call's number, for a native call; others go on
/// behind `length` instructions.
std::vector<sock_filter> native_number(std::size_t length) {
  return {{kLoad, 0, 0, offsetof(seccomp_data, arch)},
          {kIfEqual, 0, static_cast<std::uint8_t>(length + 1), kOwnArchitecture},
          {kLoad, 0, 0, offsetof(seccomp_data, nr)}};
}

}  // namespace

bool is_told(std::uint32_t answer, OnDeny mode) {
  switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ERRNO:
      return (answer & SECCOMP_RET_DATA) == EPERM;
    case SECCOMP_RET_LOG:
      return true;
    case SECCOMP_RET_KILL_PROCESS:
      return mode == OnDeny::kill;  // else it is a foreign table's call: the kernel's to end
    default:
      return false;
  }
}

std::vector<sock_filter> notifying(std::span<const sock_filter> plain, OnDeny mode) {
  std::vector<sock_filter> told(plain.begin(), plain.end());
  for (sock_filter& instruction : told) {
    if (instruction.code == kReturn && is_told(instruction.k, mode))
      instruction.k = SECCOMP_RET_USER_NOTIF;
  }
  return told;
}

bool lets_through(std::span<const sock_filter> plain, const Request& request, const OwnCall& call) {
  return !is_narrowed(request, call) && evaluate(plain, native(call)) == SECCOMP_RET_ALLOW;
}

std::vector<sock_filter> with_pass(std::span<const sock_filter> program,
                                   std::span<const OwnCall> calls) {
  std::vector<sock_filter> whole =
      answering(calls, [](const OwnCall&) { return std::uint32_t{SECCOMP_RET_ALLOW}; });
  whole.insert(whole.end(), program.begin(), program.end());
  return whole;
}

bool may_hold_reader(std::span<const sock_filter> program) {
  const std::uint32_t action =
      evaluate(program, native({SYS_userfaultfd, 0})).value_or(std::uint32_t{SECCOMP_RET_ALLOW});
  return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

std::vector<sock_filter> hearing(std::span<const sock_filter> program,
                                 std::span<const std::uint32_t> calls) {
  std::vector<sock_filter> whole = native_number(2 * calls.size());
  for (const std::uint32_t call : calls) {
    whole.push_back({kIfEqual, 0, 1, call});
    whole.push_back({kReturn, 0, 0, SECCOMP_RET_USER_NOTIF});
  }
  whole.insert(whole.end(), program.begin(), program.end());
  return whole;
}

std::vector<sock_filter> hearing(std::span<const sock_filter> program,
                                 std::span<const FlaggedCall> calls) {
  constexpr std::size_t kEach = 5;
  std::vector<sock_filter> whole = native_number(kEach * calls.size());
  for (const FlaggedCall& call : calls) {
    const std::size_t at = offsetof(seccomp_data, args) + call.argument * sizeof(std::uint64_t);
    whole.push_back({kIfEqual, 0, 3, call.number});
    whole.push_back({kLoad, 0, 0, static_cast<std::uint32_t>(at)});
    whole.push_back({BPF_JMP | BPF_JSET | BPF_K, 0, 1, call.bits});
    whole.push_back({kReturn, 0, 0, SECCOMP_RET_USER_NOTIF});
    whole.push_back({kLoad, 0, 0, offsetof(seccomp_data, nr)});
  }
  whole.insert(whole.end(), program.begin(), program.end());
  return whole;
}

std::vector<sock_filter> hearing_all(std::span<const sock_filter> program,
                                     std::span<const std::uint32_t> deaf) {
  // A number of the x32 table is no native call, whatever `arch` says.
  constexpr std::uint32_t kX32 = 0x40000000;
  const std::size_t length = deaf.size() + 2;
  std::vector<sock_filter> whole = native_number(length);
  whole.push_back({BPF_JMP | BPF_JGE | BPF_K, static_cast<std::uint8_t>(length - 1), 0, kX32});
  for (std::size_t i = 0; i < deaf.size(); ++i)
    whole.push_back({kIfEqual, static_cast<std::uint8_t>(deaf.size() - i), 0, deaf[i]});
  whole.push_back({kReturn, 0, 0, SECCOMP_RET_USER_NOTIF});
  whole.insert(whole.end(), program.begin(), program.end());
  return whole;
}

std::vector<sock_filter> end_of_pass(std::span<const sock_filter> plain, const Request& request,
                                     std::span<const OwnCall> calls) {
  std::vector<sock_filter> whole = answering(calls, [&](const OwnCall& call) {
    const std::uint32_t denied = SECCOMP_RET_ERRNO | std::uint32_t{EPERM};
    const std::uint32_t answer = evaluate(plain, native(call)).value_or(denied);
    // Narrowed by arguments that are not known here: nobody needs this one descriptor's number.
    return is_narrowed(request, call) ? denied : answer;
  });
  whole.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  return whole;
}

}  // namespace sbx::seccomp
