#include "launch/gateway_receipt.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <span>
#include <utility>

#include "launch/refused_filter.hpp"
#include "os/many_descriptors.hpp"
#include "os/pass_descriptors.hpp"

namespace sbx::launch {
namespace {

Error failed(const char* what, int error) {
  return {
      .kind = ErrorKind::setup, .what = what, .sys_errno = error, .feature = Feature::system_calls};
}

/// nullptr: the network is not filtered.
const plan::OpenGateway* gateway_step(const plan::Plan& plan) {
  if (!plan.egress) return nullptr;
  for (const plan::Step& step : plan.steps)
    if (const auto* found = std::get_if<plan::OpenGateway>(&step.action)) return found;
  return nullptr;
}

}  // namespace

Result<os::UniqueFd> GatewayReceipt::open(const plan::Plan& plan) {
  step_ = gateway_step(plan);
  if (step_ == nullptr) return os::UniqueFd();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return std::unexpected(failed("cannot make a socket pair", errno));
  ours_.reset(ends[0]);
  return os::UniqueFd(ends[1]);
}

Result<void> GatewayReceipt::reserve() {
  if (step_ == nullptr) return {};
  const std::size_t wanted = os::most_gateway_sockets(ports());
  places_.reserve(wanted);
  while (places_.size() < wanted) {
    places_.emplace_back(::fcntl(ours_.get(), F_DUPFD_CLOEXEC, 0));
    if (!places_.back().valid())
      return std::unexpected(failed("no room for the sockets of the sandbox's network", errno));
  }
  return {};
}

Result<void> GatewayReceipt::receive() {
  places_.resize(places_.size() - std::min(places_.size(), os::DescriptorSender::kAtOnce));
  auto come = os::receive_some(ours_.get());
  if (!come) {
    // Who ended without having sent it all says why elsewhere.
    if (come.error().value == os::kPeerGone) ours_.reset();
    if (!ours_.valid() || come.error().value == EAGAIN) return {};
    return std::unexpected(
        failed("cannot take the sockets of the sandbox's network", come.error().value));
  }
  std::ranges::move(*come, std::back_inserter(received_));
  auto all = os::gateway_of(received_, ports());
  if (!all) return {};  // there is more
  SBX_CHECK(watch(all->refused));
  sockets_ = std::move(*all);
  ours_.reset();
  places_.clear();
  return {};
}

/// The payload waits for the last of it. When it has ended meanwhile, that is not our failure.
Result<void> GatewayReceipt::watch(std::span<const os::UniqueFd> refused) const {
  if (const auto watched = watch_refused(refused, refused_programs(*step_)); !watched)
    return std::unexpected(
        failed("cannot watch what is refused in the sandbox's network", watched.error().value));
  const auto told = os::tell_watched(ours_.get());
  if (told || told.error().value == os::kPeerGone) return {};
  return std::unexpected(
      failed("cannot tell the payload that its network is watched", told.error().value));
}

Result<void> GatewayReceipt::finish() {
  while (ours_.valid()) {
    const std::size_t before = received_.size();
    SBX_CHECK(receive());
    if (ours_.valid() && received_.size() == before) break;
  }
  if (step_ == nullptr || sockets_) return {};
  return std::unexpected(failed("the sockets of the sandbox's network did not arrive", 0));
}

}  // namespace sbx::launch
