// What was reached and what was refused: for the result, the events and the denials. Bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "network/rule.hpp"

namespace sbx::egress {

enum class Verdict {
  allowed,
  denied,     ///< by the policy
  failed,     ///< allowed, and not reached: no such host, refused, timed out
  limited,    ///< by network.limits
  published,  ///< from outside, by network.publish
};
std::string_view to_string(Verdict verdict);

/// All connections of one kind together.
struct Connections {
  network::Protocol protocol = network::Protocol::tcp;
  std::string host{};                   ///< the name, or the address
  std::optional<std::uint16_t> port{};  ///< nothing: it was only asked for, by DNS
  Verdict verdict = Verdict::allowed;
  std::string reason{};      ///< why it was not reached
  std::string allow_with{};  ///< of denied
  std::uint64_t count = 0;
  std::uint64_t sent = 0;      ///< bytes, to the host
  std::uint64_t received = 0;  ///< bytes
};

class Account {
 public:
  /// Is told of each kind when it is seen for the first time.
  using Tell = std::function<void(const Connections&)>;
  explicit Account(Tell tell) : tell_(std::move(tell)) {}

  /// One more of this kind (its count and bytes are ignored); where its bytes are counted, which
  /// stays valid as long as the account.
  Connections& note(const Connections& kind);

  /// In the order in which they were seen first.
  [[nodiscard]] std::vector<Connections> take() const;
  [[nodiscard]] std::uint64_t others() const { return others_.count; }  ///< not listed

 private:
  static constexpr std::size_t kMostKinds = 500;  ///< of one verdict
  /// Of one place: a reason may quote what the payload has sent.
  static constexpr std::size_t kMostReasons = 8;
  static constexpr std::string_view kOtherReasons = "for other reasons";
  /// With what would allow it: what two lines of a profile decide is of two kinds.
  using Place = std::tuple<std::string, std::optional<std::uint16_t>, network::Protocol, Verdict,
                           std::string>;
  using Reasons = std::map<std::string, std::size_t, std::less<>>;  ///< to the index of its kind

  Tell tell_;
  std::map<Place, Reasons> index_{};
  std::vector<std::unique_ptr<Connections>> kinds_{};
  std::array<std::size_t, 5> listed_{};  ///< index: the verdict
  Connections others_{};
};

}  // namespace sbx::egress
