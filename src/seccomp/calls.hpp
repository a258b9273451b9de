// The table of system calls: which there are on each machine that sbx is for, which group each
// belongs to, and what that group may do. Pure data with look-ups; calls_table.cpp holds the rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/machine.hpp"

namespace sbx::seccomp {

/// In place of a number: that machine has no such call.
inline constexpr std::uint16_t kNone = 0xffff;

struct Call {
  std::uint16_t x86_64 = kNone;
  std::uint16_t arm64 = kNone;
  std::string_view name;

  /// On the machine that sbx was built for; kNone where only others have the call.
  [[nodiscard]] constexpr std::uint16_t number() const {
    return kMachine == Machine::x86_64 ? x86_64 : arm64;
  }
  [[nodiscard]] constexpr bool exists() const { return number() != kNone; }
};

enum class Standing {
  allowed,   ///< part of @default
  optional,  ///< denied unless the profile's `allow` names it or its group
  never,     ///< denied whatever the profile says
};

/// Calls that belong together, with the one reason that holds for all of them.
struct Group {
  std::string_view name;  ///< "@mount"
  std::string_view reason;
  Standing standing = Standing::never;
  int error =
      0;  ///< `never` only: what its calls answer with (EPERM, or ENOSYS where that is needed)
  std::span<const Call> calls;
};

/// The union of every group whose standing is `allowed`.
inline constexpr std::string_view kDefaultGroup = "@default";

/// No call of the table has a higher number; above it (and in its gaps) a call answers ENOSYS.
inline constexpr unsigned kLastNumber = 469;

/// The x86_64 table's x32 twin starts here; the kernel marks its calls with this bit.
inline constexpr std::uint32_t kX32Bit = 0x40000000;

/// A row of the table; both are null when there is none.
struct CallFacts {
  const Call* call = nullptr;
  const Group* group = nullptr;
  explicit operator bool() const { return call != nullptr; }
};

/// Every group, in the order of the manual.
std::span<const Group> call_groups();

/// The group of that name ("@mount"); null when there is none. @default is not one of them.
const Group* find_group(std::string_view name);

/// The call of that name or number with its group; empty when the table does not have it. By name
/// also what only other machines have (Call::exists): profiles are written for all of them.
CallFacts find_call(std::string_view name);
CallFacts find_call(unsigned number);

/// Does an entry of a list ("@mount", "@default") stand for the group, with all of its calls?
bool stands_for(std::string_view entry, const Group& group);
/// Does an entry ("@group" or a call's name) stand for the call?
bool covers(std::string_view entry, const CallFacts& call);

}  // namespace sbx::seccomp
