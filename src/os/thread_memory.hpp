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

}  // namespace sbx::os
