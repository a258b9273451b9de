// Ports that the supervisor opens when somebody is about to connect to them.
#include <algorithm>
#include <vector>

#include "inner_network.hpp"
#include "listened_payload.hpp"
#include "os/pass_descriptors.hpp"
#include "os/seccomp_notify.hpp"
#include "os/socket_mint.hpp"
#include "supervise/denials.hpp"

using namespace sbx;        // NOLINT(google-build-using-namespace)
using namespace sbx::test;  // NOLINT(google-build-using-namespace)

namespace {

plan::Plan plan_with(const plan::OpenGateway& step) {
  plan::Plan plan;
  plan.filter = seccomp::filter_for(plan.seccomp).value();
  plan.steps.push_back({plan::Phase::payload, step});
  plan.supervision.hears_connects = true;
  return plan;
}

/// Two ends of a pair, of which the payload gets one by being a child.
struct Ends {
  Ends() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
  }
  os::UniqueFd ours;
  os::UniqueFd theirs;
};

}  // namespace

TEST_CASE("a late port is opened in time, and nobody else's connection is looked at twice") {
  const plan::OpenGateway step{.tcp = {443}, .late = {{2000, 2999}, {5432, 5432}}, .more = true};
  const plan::Plan plan = plan_with(step);
  const Ends ends;
  InnerNetwork inner(
      [&] {
        filter_myself(plan, ends.theirs.get());
        for (const char* address : {"203.0.113.7", "2001:db8::7", "::ffff:203.0.113.8"}) {
          expect(connect_to(address, 2000).valid());
          expect(connect_to(address, 2999).valid());
          expect(connect_to(address, 5432).valid());
          expect(connect_to(address, 443).valid());
          expect(is_refused(address, 3000));
        }
        for (const char* address : {"127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1"})
          expect(is_refused(address, 2001));
        expect(::connect(0, nullptr, 16) != 0);  // whatever is there
      },
      {.step = step});
  os::GatewaySockets sockets = inner.take();
  os::SocketMint mint(std::move(sockets.mint_listener), std::move(sockets.mint_client));
  inner.go();
  auto sent = os::receive_descriptors(ends.ours.get(), true);
  REQUIRE(sent.has_value());
  supervise::Denials denials;
  std::vector<std::uint16_t> told;
  std::vector<os::UniqueFd> opened;
  denials.on_connect([&](int family, std::uint16_t port) {
    CHECK((family == AF_INET || family == AF_INET6));
    if (std::ranges::find(told, port) == told.end()) {
      auto listener = mint.listen_on(port);
      REQUIRE(listener.has_value());
      opened.push_back(std::move(*listener));
    }
    told.push_back(port);
  });
  REQUIRE(denials.start(std::move(sent->front()), plan, supervise::now_ns()));
  for (;;) {
    supervise::PollSet set;
    denials.watch(set, supervise::now_ns());
    if (set.size() == 0 && !denials.next()) break;  // they have gone
    (void)::poll(set.data(), set.size(), 100);
    denials.step(set, supervise::now_ns(), [](const supervise::Denial&) {});
  }
  CHECK(inner.end() == kHolds);
  CHECK(opened.size() == 3);
  CHECK(told == std::vector<std::uint16_t>{2000, 2999, 5432, 2000, 2999, 5432, 2000, 2999, 5432});
  CHECK_FALSE(denials.take().has_value());
}

TEST_CASE("who has no late ports has the filter that everybody has") {
  plan::Plan plan = plan_with({.tcp = {443}});
  plan.supervision.hears_connects = false;
  launch::Filters filters;
  filters.plain = plan.filter.program();
  launch::prepare_listening(plan, 7, filters);
  CHECK(filters.told.empty());
  CHECK(filters.afterwards.empty());
  plan.supervision.hears_connects = true;
  launch::prepare_listening(plan, 7, filters);
  CHECK(filters.told.size() > filters.plain.size());
}
