#include "os/unread.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/fail.hpp"
#include "os/cgroup_file.hpp"
#include "os/gone.hpp"

namespace sbx::os {
namespace {

/// The word of this number; words stand apart by any number of spaces.
std::string_view word(std::string_view line, int number) {
  for (; number >= 0; --number) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return {};
    line.remove_prefix(begin);
    const std::string_view found = line.substr(0, line.find(' '));
    if (number == 0) return found;
    line.remove_prefix(found.size());
  }
  return {};
}

std::uint64_t number(std::string_view text, int base) {
  std::uint64_t value = 0;  // and so of a head line
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

std::string folder_of(pid_t member) { return "/proc/" + std::to_string(member) + "/net/"; }

/// TCP keeps more for each, but for connections that nobody has accepted: these are sockets as
/// well.
constexpr std::uint64_t kFew = 32;

/// socket(7): a buffer may be set to twice its maximum. One packet comes above it.
std::uint64_t most_of_one() {
  constexpr std::uint64_t kPacket = 65536;
  const auto bytes_of = [](const char* name) {
    return number(read_kernel_text(std::string("/proc/sys/net/core/") + name), 10);
  };
  const std::uint64_t most = bytes_of("rmem_max");
  if (most == 0) return UINT64_MAX / kFew;  // not to be seen: each look is a whole one
  return 2 * (most + bytes_of("wmem_max") + kPacket) + bytes_of("rmem_default") +
         bytes_of("wmem_default");
}

enum class Kind { netlink, datagrams, tcp };

/// netlink: Rmem. The others: tx_queue:rx_queue, in base 16.
std::uint64_t unread_of(std::string_view line, Kind kind) {
  constexpr int kState = 3;
  constexpr int kQueue = 4;  // of all
  constexpr int kInode = 9;
  const std::string_view found = word(line, kQueue);
  if (kind == Kind::netlink) return number(found, 10);
  const std::size_t colon = found.find(':');
  if (colon == std::string_view::npos) return 0;
  const std::uint64_t queue = number(found.substr(colon + 1), 16);
  // The other half is a datagram that is not complete yet (MSG_MORE of send(2)).
  if (kind == Kind::datagrams) return number(found.substr(0, colon), 16) + queue;
  // Who listens has so many connections that nobody has accepted, each with a socket of the
  // kernel's; and what came over these. What is accepted is counted, and may be ours
  // (egress/acceptor.hpp).
  constexpr std::uint64_t kSocket = 4096;
  if (word(line, kState) == "0A") return queue * kSocket;
  return word(line, kInode) == "0" ? queue : 0;
}

/// Also a kind of sockets that the kernel does not have has no file. The folder of a process that
/// has ended stays until somebody has waited for it.
SysResult<std::uint64_t> none_of_gone(pid_t member) {
  if (!is_gone(errno)) return fail();
  if (::access(("/proc/" + std::to_string(member)).c_str(), F_OK) != 0) return fail();
  return 0;
}

/// Not read as a whole: a line for each socket, of which a command may have a hundred thousand.
SysResult<std::uint64_t> add_up(pid_t member, const char* name, Kind kind, std::uint64_t enough) {
  const UniqueFd file(::open((folder_of(member) + name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return none_of_gone(member);
  std::uint64_t sum = 0;
  std::string text;
  std::array<char, 16384> piece{};
  while (sum <= enough) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return none_of_gone(member);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      sum += unread_of(std::string_view(text).substr(begin, end - begin), kind);
    text.erase(0, begin);
  }
  return sum;
}

}  // namespace

SysResult<Sockets> UnreadSockets::count(pid_t member, std::uint64_t enough) {
  const auto failed = [member]() -> SysResult<Sockets> {
    SBX_CHECK(none_of_gone(member));
    return Sockets::none;
  };
  if (!count_.valid()) {
    const std::string path = folder_of(member) + "sockstat";
    count_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!count_.valid()) return failed();
  }
  std::array<char, 64> text{};  // "sockets: used 3", and more of other kinds
  const ssize_t got = ::pread(count_.get(), text.data(), text.size(), 0);
  if (got < 0) return failed();
  const std::string_view all(text.data(), static_cast<std::size_t>(got));
  const std::uint64_t sockets = number(word(all.substr(0, all.find('\n')), 2), 10);
  if (sockets == 0) return Sockets::none;
  if (most_of_one_ == 0) most_of_one_ = most_of_one();
  return sockets >= kFew || sockets * most_of_one_ > enough ? Sockets::many : Sockets::few;
}

SysResult<std::uint64_t> UnreadSockets::bytes(pid_t member, std::uint64_t enough) const {
  std::uint64_t sum = 0;
  const auto add = [&](Kind kind, std::initializer_list<const char*> files) -> SysResult<void> {
    for (const char* file : files)
      if (sum <= enough) sum += SBX_TRY(add_up(member, file, kind, enough - sum));
    return {};
  };
  SBX_CHECK(add(Kind::netlink, {"netlink"}));
  SBX_CHECK(
      add(Kind::datagrams, {"udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6"}));
  SBX_CHECK(add(Kind::tcp, {"tcp", "tcp6"}));
  return sum;
}

}  // namespace sbx::os
