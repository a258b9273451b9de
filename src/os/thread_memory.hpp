// What a thread that waits for an answer of ours (seccomp_unotify(2)) has written down for its
// call. All of it is its own word: it may be changed while it is read, and means nothing for a
// decision.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sbx::os {

/// The text that ends with a null byte at `address` of the thread's memory, at most PATH_MAX;
/// nullopt: it is not readable, or has no end.
std::optional<std::string> thread_text(pid_t thread, std::uint64_t address);

/// The folder behind a descriptor of the thread's, or its working directory (`fd` = AT_FDCWD), as a
/// path inside of its own mount namespace. nullopt: it has none.
std::optional<std::string> thread_folder(pid_t thread, int fd);

/// An internet address that a call names (`size` bytes at `address`).
struct NamedAddress {
  int family = 0;  ///< AF_INET or AF_INET6
  std::uint16_t port = 0;
  bool loopback = false;  ///< or the wildcard, which connect(2) takes for it
};
/// nullopt: it is of another family, or not readable.
std::optional<NamedAddress> thread_address(pid_t thread, std::uint64_t address, std::uint64_t size);
/// Of the msghdr (or the first mmsghdr) at `message`.
std::optional<NamedAddress> thread_message_address(pid_t thread, std::uint64_t message);

}  // namespace sbx::os
