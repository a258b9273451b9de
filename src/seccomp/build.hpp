// From a profile's `seccomp` section to a policy, and from a policy to a BPF program.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/policy.hpp"
#include "seccomp/shared_host.hpp"

namespace sbx::seccomp {

// Profile names and values that the policy is made of (profile::Seccomp without its own types, so
// that this folder depends on base alone).

/// Allow `call` only when argument `arg` is one of `in`. It narrows, never widens: the built-in
/// conditions of the call hold as well, and of several entries for one call all must hold. The
/// whole 64-bit argument is compared (zero- or sign-extended from 32 bits), because nothing says
/// how many bits of it the kernel reads: garbage in the high word is denied.
struct ArgAllow {
  std::string call;
  unsigned arg = 0;
  std::vector<std::uint64_t> in;
  bool operator==(const ArgAllow&) const = default;
};

/// What a denied call meets. Calls that answer ENOSYS (clone3, openat2, numbers that the table does
/// not know) and unknown prctl options (EINVAL) do so in every mode: C libraries and runtimes probe
/// for them, and fall back only when they get this answer.
enum class OnDeny {
  fail,  ///< EPERM
  kill,  ///< the process dies; also when an argument is denied
  log,  ///< the call goes through and is told of, or logged by the kernel; groups whose standing is
        ///< `never` and firm conditions (namespaces, terminal input, set-id bits, device nodes)
        ///< still get EPERM
};

struct Request {
  OnDeny on_deny = OnDeny::fail;
  std::vector<std::string> allow{"@default"};
  std::vector<std::string> deny{};  ///< wins over allow, whatever the order
  std::vector<ArgAllow> args{};
  /// Nobody else keeps the payload from the host's huge pages, which no memory limit counts: mmap,
  /// memfd_create and shmget answer ENOMEM to whoever asks for one, as where there is none.
  bool no_huge_pages = false;
  SharedHost shared_host{};  ///< tier `landlock`
  bool operator==(const Request&) const = default;
};

/// Checks one entry of allow/deny ("@group" or a call's name); an Error with a suggestion when
/// unknown.
Result<void> check_name(std::string_view entry);

/// The policy for a request. Some calls stay denied whatever the request says (namespaces, the
/// mount family, foreign tables): asking for one is an Error of kind profile, and so are an unknown
/// name, a denied execve, and `args` for a call that `allow` does not give (it would have no
/// effect).
Result<Policy> build_policy(const Request& request);

/// `policy` as a BPF program. The policies of the built-in profiles were compiled by libseccomp
/// when sbx was built and are only looked up; any other is compiled by libseccomp now (about 0.5
/// ms).
Result<std::vector<sock_filter>> compile(const Policy& policy);

/// A BPF program: borrowed from those that were compiled with sbx, or its own.
class Filter {
 public:
  explicit Filter(std::span<const sock_filter> built_in) : built_in_(built_in) {}
  explicit Filter(std::vector<sock_filter> own) : own_(std::move(own)) {}

  [[nodiscard]] std::span<const sock_filter> program() const {
    return own_.empty() ? built_in_ : std::span<const sock_filter>(own_);
  }

 private:
  std::span<const sock_filter> built_in_{};
  std::vector<sock_filter> own_{};
};

/// compile(build_policy(request)), but for the requests of the built-in profiles nothing is built
/// or copied: the way a run takes.
Result<Filter> filter_for(const Request& request);

/// Every group: name, one-line reason, members. For `explain`, the manual and `--help`. The first
/// is
/// @default, the union of the allowed ones.
struct GroupInfo {
  std::string_view name;
  std::string_view reason;
  std::vector<std::string_view> calls;
  Standing standing = Standing::never;
};
std::vector<GroupInfo> list_groups();

}  // namespace sbx::seccomp
