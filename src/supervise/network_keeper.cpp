#include "supervise/network_keeper.hpp"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "egress/sockets.hpp"

namespace sbx::supervise {
namespace {

constexpr Nanos kMostDelivering = 2 * kSecond;
constexpr Nanos kLookAgain = 10 * kMillisecond;

Error setup_error(std::string what, int error, std::string hint = {}, std::string where = {}) {
  return {.kind = ErrorKind::setup,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint),
          .sys_errno = error};
}

std::string hint_for_listening(int error) {
  switch (error) {
    case EADDRINUSE:
      return "somebody else listens there: take another port";
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      return "this host has no such address";
    case EACCES:
      return "that port is for root alone (net.ipv4.ip_unprivileged_port_start): take a higher one";
    default:
      return "";
  }
}

/// Without them connections would fail later, and nobody would know why.
Result<void> check_descriptors(const network::Policy& policy, const std::string& where) {
  ::rlimit limit{};
  const std::uint64_t wanted = egress::descriptors_for(policy);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return std::unexpected(setup_error("cannot read the limit of open files", errno));
  if (limit.rlim_max >= wanted) return {};
  const std::size_t ports = policy.publish.size();
  const std::string published = ports > 0 ? " and " + std::to_string(ports) + " published" : "";
  return std::unexpected(
      setup_error("network.limits.connections: " + std::to_string(policy.limits.connections) +
                      published + " need " + std::to_string(wanted) +
                      " open files, and the hard limit is " + std::to_string(limit.rlim_max),
                  0, "raise it (ulimit -Hn), or allow fewer connections", where));
}

Result<void> allow_descriptors() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  }
  return std::unexpected(setup_error("cannot raise the limit of open files", errno));
}

std::string target_of(const egress::Connections& refused) {
  if (!refused.port) return refused.host;
  const bool v6 = refused.host.find(':') != std::string::npos;
  return (v6 ? '[' + refused.host + ']' : refused.host) + ':' + std::to_string(*refused.port);
}

}  // namespace

Denial denial_of(const egress::Connections& refused) {
  Denial denial;
  denial.kind = "network";
  denial.operation = !refused.port                                ? "lookup"
                     : refused.protocol == network::Protocol::udp ? "send"
                                                                  : "connect";
  denial.target = target_of(refused);
  denial.reason = refused.reason;
  denial.count = refused.count;
  denial.allow_with = refused.allow_with;
  return denial;
}

Result<void> NetworkKeeper::prepare(const plan::Plan& plan) {
  if (!plan.egress) return {};
  const plan::EgressPlaces& places = plan.egress_places;
  SBX_CHECK(check_descriptors(*plan.egress, places.connections));
  for (std::size_t i = 0; i < plan.egress->publish.size(); ++i) {
    const network::Publish& publish = plan.egress->publish[i];
    const network::Endpoint host{publish.address, publish.host_port};
    auto socket = egress::listen_stream(host);
    if (!socket)
      return std::unexpected(
          setup_error("network.publish: cannot listen on " + network::to_string(host),
                      socket.error().value, hint_for_listening(socket.error().value),
                      i < places.publish.size() ? places.publish[i] : ""));
    published_.push_back({publish, std::move(*socket)});
  }
  return {};
}

Result<void> NetworkKeeper::start(os::GatewaySockets sockets, const plan::Plan& plan, Tell tell) {
  if (!plan.egress) return {};
  // Not before: the payload would have inherited it.
  SBX_CHECK(allow_descriptors());
  gateway_ = std::make_unique<egress::Gateway>(*plan.egress, std::move(tell));
  if (const auto started = gateway_->start(std::move(sockets), std::exchange(published_, {}));
      !started)
    return std::unexpected(
        setup_error("cannot start the network's gateway", started.error().value));
  return {};
}

void NetworkKeeper::watch(PollSet& set) {
  index_ = gateway_ ? set.add(gateway_->fd(), POLLIN) : kNotPolled;
}

void NetworkKeeper::step(const PollSet& set) {
  if (!gateway_) return;
  const auto due = gateway_->next();
  if (set.revents(index_) != 0 || (due && *due <= now_ns())) gateway_->step();
}

std::optional<Nanos> NetworkKeeper::next() const {
  return gateway_ ? gateway_->next() : std::nullopt;
}

void NetworkKeeper::port_wanted(std::uint16_t port) {
  if (gateway_) gateway_->port_wanted(port);
}

void NetworkKeeper::deliver(const std::function<bool()>& ended, int signal_fd) {
  if (!gateway_) return;
  const Nanos until = now_ns() + kMostDelivering;
  gateway_->step();  // who connected right before the end waits to be accepted
  for (Nanos now = now_ns(); now < until && gateway_->has_to_send() && !ended(); now = now_ns()) {
    // Nobody tells when the other end has acknowledged the last of it.
    const Nanos look = now + kLookAgain;
    const Nanos left = std::min({until, look, gateway_->next().value_or(until)}) - now;
    const timespec timeout{std::max<Nanos>(0, left) / kSecond, std::max<Nanos>(0, left) % kSecond};
    pollfd waiting[] = {{gateway_->fd(), POLLIN, 0}, {signal_fd, POLLIN, 0}};
    (void)::ppoll(waiting, 2, &timeout, nullptr);
    gateway_->step();
  }
  cut_short_ = gateway_->has_to_send();
}

void NetworkKeeper::finish(Outcome& outcome) {
  if (!gateway_) return;
  gateway_->conclude();
  if (cut_short_)
    outcome.warnings.emplace_back(
        "network: the hosts had not taken all that the command had sent when the run was over, two "
        "seconds after its end at the latest; those connections were reset");
  outcome.connections = gateway_->account().take();
  if (const std::uint64_t others = gateway_->account().others(); others > 0)
    outcome.warnings.push_back(
        "network.connections: not listed, because there were too many kinds: " +
        std::to_string(others));
  if (outcome.denials)
    for (const egress::Connections& each : outcome.connections)
      if (each.verdict == egress::Verdict::denied) outcome.denials->push_back(denial_of(each));
  gateway_.reset();
}

}  // namespace sbx::supervise
