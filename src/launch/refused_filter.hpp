// Classic BPF programs for raw sockets (os/refused_sockets.hpp): which packets are attempts to
// reach what nobody of ours listens to.
#pragma once

#include <linux/filter.h>

#include <span>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "plan/payload_steps.hpp"

namespace sbx::launch {

struct RefusedPrograms {
  std::vector<sock_filter> tcp4{};
  std::vector<sock_filter> udp4{};
  std::vector<sock_filter> tcp6{};
  std::vector<sock_filter> udp6{};
};

/// They pass the first packet of a connection, and datagrams that are no answers of ours: to other
/// ports than the step's and 53, and not to loopback.
RefusedPrograms refused_programs(const plan::OpenGateway& step);

/// Attaches them to os::GatewaySockets::refused.
SysResult<void> watch_refused(std::span<const os::UniqueFd> sockets,
                              const RefusedPrograms& programs) noexcept;

}  // namespace sbx::launch
