// What the payload was refused, as the result tells it. Plain data.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sbx::supervise {

struct Denial {
  std::string kind = "syscall";       ///< or "network"
  std::string operation{};            ///< the call: "socket"; "lookup", "connect", "send"
  std::string target{};               ///< the argument it was denied for: "AF_PACKET"; empty: none
  std::string reason{};               ///< of kind network: "a private address"; empty: none
  std::optional<pid_t> pid{};         ///< inside: of the first who tried; none: unknown
  std::optional<std::string> comm{};  ///< its program; any bytes
  std::uint64_t count = 0;
  bool passed = false;       ///< on_deny: log let it through
  std::string allow_with{};  ///< a line of a profile; empty: no profile allows it
  bool operator==(const Denial&) const = default;
};

/// "socket(AF_PACKET), by ping, 3 times"
std::string denial_text(const Denial& denial);

}  // namespace sbx::supervise
