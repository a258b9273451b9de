#include "launch/refused_filter.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "os/refused_sockets.hpp"

namespace sbx::launch {
namespace {

using network::PortRange;
using Ports = std::vector<PortRange>;

constexpr std::uint32_t kPass = 0xffffffff;
constexpr std::uint16_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kAnd = BPF_ALU | BPF_AND | BPF_K;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;

// Where things are in a header of TCP, and of UDP as far as it has them.
constexpr std::uint32_t kSource = 0;
constexpr std::uint32_t kDestination = 2;
constexpr std::uint32_t kFlags = 13;

class Program {
 public:
  explicit Program(bool v6) : v6_(v6) {
    if (v6)
      not_to_loopback6();
    else
      not_to_loopback4();
  }

  /// SYN, without ACK, RST and FIN.
  void only_first() {
    load(BPF_B, kFlags);
    add({kAnd, 0, 0, 0x17});
    add({kIfEqual, 1, 0, 0x02});
    drop();
  }

  void not_port(std::uint32_t at, const Ports& ports) {
    constexpr std::size_t kBlock = 100;  // a conditional jump reaches 255 instructions
    load(BPF_H, at);
    for (std::size_t i = 0; i < ports.size(); i += kBlock)
      not_one_of(std::span(ports).subspan(i, std::min(kBlock, ports.size() - i)));
  }

  std::vector<sock_filter> done() {
    add({kReturn, 0, 0, kPass});
    return std::move(code_);
  }

 private:
  void add(sock_filter instruction) { code_.push_back(instruction); }
  void drop() { add({kReturn, 0, 0, 0}); }

  /// Of the header behind that of IP: X has its place (v4), or the packet begins with it.
  void load(std::uint16_t size, std::uint32_t at) {
    const std::uint16_t mode = v6_ ? BPF_ABS : BPF_IND;
    add({static_cast<std::uint16_t>(BPF_LD | size | mode), 0, 0, at});
  }

  void not_to_loopback4() {
    constexpr std::uint32_t kTo = 16;
    add({BPF_LD | BPF_W | BPF_ABS, 0, 0, kTo});
    add({kAnd, 0, 0, 0xff000000});
    add({kIfEqual, 0, 1, 127U << 24U});
    drop();
    add({BPF_LDX | BPF_B | BPF_MSH, 0, 0, 0});
  }

  void not_to_loopback6() {
    constexpr auto kTo = static_cast<std::uint32_t>(SKF_NET_OFF) + 24;
    constexpr std::uint32_t kLast = 12;
    for (std::uint32_t at = 0; at <= kLast; at += 4) {
      const auto past = static_cast<std::uint8_t>((kLast - at) / 2 + 1);
      add({BPF_LD | BPF_W | BPF_ABS, 0, 0, kTo + at});
      add({kIfEqual, 0, past, at == kLast ? 1U : 0U});
    }
    drop();
  }

  void not_one_of(std::span<const PortRange> ports) {
    std::size_t left = 0;
    for (const PortRange& range : ports) left += range.size() == 1 ? 1 : 2;
    // Behind them a jump over the drop, to which the others lead.
    for (const PortRange& range : ports) {
      if (range.size() == 1) {
        add({kIfEqual, static_cast<std::uint8_t>(left--), 0, range.first});
        continue;
      }
      add({BPF_JMP | BPF_JGE | BPF_K, 0, 1, range.first});
      add({BPF_JMP | BPF_JGT | BPF_K, 0, static_cast<std::uint8_t>(--left), range.last});
      --left;
    }
    add({BPF_JMP | BPF_JA, 0, 0, 1});
    drop();
  }

  bool v6_;
  std::vector<sock_filter> code_{};
};

/// Merged, so that a long list of neighbours is one range.
Ports ours(const std::vector<std::uint16_t>& single, const Ports& more) {
  constexpr std::uint16_t kDns = 53;
  Ports all = more;
  all.push_back({kDns, kDns});
  for (const std::uint16_t port : single) all.push_back({port, port});
  std::ranges::sort(all, {}, &PortRange::first);
  Ports merged;
  for (const PortRange& range : all) {
    if (!merged.empty() && range.first <= unsigned{merged.back().last} + 1)
      merged.back().last = std::max(merged.back().last, range.last);
    else
      merged.push_back(range);
  }
  return merged;
}

std::vector<sock_filter> tcp_program(bool v6, const Ports& ports) {
  Program program(v6);
  program.only_first();
  program.not_port(kDestination, ports);
  return program.done();
}

std::vector<sock_filter> udp_program(bool v6, const Ports& ports) {
  Program program(v6);
  program.not_port(kDestination, ports);
  program.not_port(kSource, ports);
  return program.done();
}

}  // namespace

RefusedPrograms refused_programs(const plan::OpenGateway& step) {
  const Ports tcp = ours(step.tcp, step.late);
  const Ports udp = ours(step.udp, {});
  return {.tcp4 = tcp_program(false, tcp),
          .udp4 = udp_program(false, udp),
          .tcp6 = tcp_program(true, tcp),
          .udp6 = udp_program(true, udp)};
}

SysResult<void> watch_refused(std::span<const os::UniqueFd> sockets,
                              const RefusedPrograms& programs) noexcept {
  const std::array<std::span<const sock_filter>, 4> filters{programs.tcp4, programs.udp4,
                                                            programs.tcp6, programs.udp6};
  for (std::size_t i = 0; i < std::min(sockets.size(), filters.size()); ++i)
    SBX_CHECK(os::watch_refused(sockets[i].get(), i < 2 ? AF_INET : AF_INET6, filters[i]));
  return {};
}

}  // namespace sbx::launch
