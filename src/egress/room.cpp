#include "egress/room.hpp"

#include <limits>
#include <string>
#include <string_view>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "os/tools_path.hpp"

namespace sbx::egress {
namespace {

constexpr int kKilo = 1024;
constexpr std::uint32_t kFew = 8;
constexpr std::uint32_t kSome = 32;

/// As much as Linux gives by itself where nobody has changed that: 6 and 4 MiB.
constexpr Room kLongWay{3 * kKilo * kKilo, 2 * kKilo* kKilo};
/// Nothing is under way for long within the machine; but to turn from one side to the other costs
/// time, and little room means many turns.
constexpr Room kShortWay{512 * kKilo, 512 * kKilo};
constexpr Room kOfSome{256 * kKilo, 128 * kKilo};

/// The last of the three numbers of a setting; unknown: without a bound.
int most_of(const std::string& setting) {
  constexpr int kUnknown = std::numeric_limits<int>::max();
  const auto text = os::read_small_file("/proc/sys/net/ipv4/" + setting);
  if (!text) return kUnknown;
  const std::string_view numbers = trim(*text);
  return parse_number<int>(numbers.substr(numbers.find_last_of(" \t") + 1)).value_or(kUnknown);
}

/// net.core.rmem_max may be less than what the kernel gives by itself, and then a socket that is
/// given a size is the slower one.
int unless_less(int room, int own) { return own <= 2 * room ? 0 : room; }

}  // namespace

Room inside_room(std::uint32_t alive) { return alive > kFew ? kLeastRoom : kShortWay; }

Room outside_room(std::uint32_t alive, const Room& own) {
  if (alive > kFew) return published_room(alive);
  return {unless_less(kLongWay.receive, own.receive), unless_less(kLongWay.send, own.send)};
}

Room outside_room(std::uint32_t alive) {
  static const Room own{most_of("tcp_rmem"), most_of("tcp_wmem")};
  return outside_room(alive, own);
}

Room published_room(std::uint32_t alive) { return alive > kSome ? kLeastRoom : kOfSome; }

}  // namespace sbx::egress
