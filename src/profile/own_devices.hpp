// What every sandbox has in /dev, below which nothing else can be put. Pure data.
#pragma once

#include <array>
#include <string_view>

namespace sbx::profile {

/// The entry of `devices` that means every graphics processor, with what its driver needs.
inline constexpr std::string_view kGpu = "gpu";

/// What an entry of `devices` means that is no node: POSIX message queues of the run's own.
inline constexpr std::string_view kQueues = "/dev/mqueue";
inline bool names_queues(std::string_view entry) {
  return entry == kQueues || entry == kQueues.substr(sizeof "/dev/" - 1);
}

/// Nodes of the host's.
inline constexpr std::array<std::string_view, 6> kOwnNodes{
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};

struct OwnLink {
  std::string_view path;
  std::string_view text;
};
inline constexpr std::array<OwnLink, 5> kOwnLinks{{{"/dev/fd", "/proc/self/fd"},
                                                   {"/dev/stdin", "/proc/self/fd/0"},
                                                   {"/dev/stdout", "/proc/self/fd/1"},
                                                   {"/dev/stderr", "/proc/self/fd/2"},
                                                   {"/dev/ptmx", "pts/ptmx"}}};

}  // namespace sbx::profile
