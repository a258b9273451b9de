// What a profile's `seccomp` section asks for, and what the host adds to it. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  /// The limit on core files stays what it is, because another makes the kernel hand cores to the
  /// host's own program (os::set_rlimit()). To set it does nothing, without an error: what switches
  /// its cores off goes on (gpg and ssh-agent end when they cannot), and they are off.
  bool no_cores = true;
  SharedHost shared_host{};  ///< tier `landlock`
  bool operator==(const Request&) const = default;
};

}  // namespace sbx::seccomp
