// The one table of profile keys. Decoding, suggestions and the JSON Schema all read it, and the
// type of a key is the type of the slot it fills, so that the three cannot drift apart.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "profile/node.hpp"
#include "profile/profile.hpp"

namespace sbx::profile {

class Decoder;
struct Key;

/// Each slot says where in the Profile a key's value goes; list items (mounts, secrets, args) go
/// into the last element of their list.
template <class T>
using At = T& (*)(Profile&);

struct TextSlot {
  At<std::string> at;
};
struct MaybeTextSlot {
  At<std::optional<std::string>> at;
};  ///< none unsets it
struct SwitchSlot {
  At<bool> at;
};
struct SizeSlot {
  At<Bytes> at;
};
struct CountSlot {
  At<std::uint64_t> at;
};
struct SizeLimitSlot {
  At<std::optional<Bytes>> at;
};  ///< the limits take `none`
struct RateLimitSlot {
  At<std::optional<Bytes>> at;
};  ///< bytes a second
struct CountLimitSlot {
  At<std::optional<std::uint64_t>> at;
};
struct TimeLimitSlot {
  At<std::optional<Duration>> at;
};
struct CoresLimitSlot {
  At<std::optional<double>> at;
};
struct TimeSlot {
  At<Duration> at;
};
struct OffsetSlot {
  At<std::optional<Duration>> at;
};
struct IdSlot {
  At<std::optional<std::uint32_t>> at;
};  ///< a number, or `caller`
struct TextListSlot {
  At<std::vector<std::string>> at;
};
struct PortListSlot {
  At<std::vector<std::uint16_t>> at;
};
struct TextMapSlot {
  At<std::map<std::string, std::string>> at;
};
struct ChoiceSlot {
  std::span<const std::string_view> words;
  void (*set)(Profile&, std::size_t);
};
struct SectionSlot {
  std::span<const Key> keys;
};
/// What no slot above can say: its own reader, and its own piece of schema.
struct SpecialSlot {
  void (*read)(Decoder&, const Node&);
  std::string (*schema)();
};

using Slot = std::variant<TextSlot, MaybeTextSlot, SwitchSlot, SizeSlot, CountSlot, SizeLimitSlot,
                          RateLimitSlot, CountLimitSlot, TimeLimitSlot, CoresLimitSlot, TimeSlot,
                          OffsetSlot, IdSlot, TextListSlot, PortListSlot, TextMapSlot, ChoiceSlot,
                          SectionSlot, SpecialSlot>;

struct Key {
  std::string_view name;
  std::string_view doc;  ///< one line, for the schema
  Slot slot;
};

/// The top level of a profile.
std::span<const Key> profile_keys();

/// Maps that stand in lists or have several forms; used by special readers and their schemas.
std::span<const Key> bind_keys();
std::span<const Key> tmpfs_keys();
std::span<const Key> file_keys();
std::span<const Key> copy_keys();
std::span<const Key> root_dir_keys();
std::span<const Key> root_oci_keys();
std::span<const Key> network_keys();
std::span<const Key> secret_keys();
std::span<const Key> arg_rule_keys();

/// Names of setrlimit(2), and how their values are written.
enum class RlimitUnit { size, count, seconds, microseconds };
struct RlimitName {
  std::string_view name;
  RlimitUnit unit;
};
std::span<const RlimitName> rlimit_names();

}  // namespace sbx::profile
