// Answers the calls that the payload's filter denies, as the policy has it, and keeps account of
// them. Calls that are allowed never come here.
//
// Whoever makes a denied call waits for us. A payload that does nothing else shall burn its own
// time and not the host's: answering has a budget of processor time, and who comes when it is used
// up waits for the next one. Where calls come here that are allowed, or that kill, and fail with
// EINTR when a signal is faster than we are, they are received all the same, and only answered
// later.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "os/seccomp_notify.hpp"
#include "os/thread_facts.hpp"
#include "plan/plan.hpp"
#include "supervise/allowance.hpp"
#include "supervise/clock.hpp"
#include "supervise/denial.hpp"
#include "supervise/learner.hpp"
#include "supervise/poll_set.hpp"

namespace sbx::supervise {

class Denials {
 public:
  /// Is told of each denial when it is seen for the first time.
  using Tell = std::function<void(const Denial&)>;

  /// Is told of a connection to a late port of the gateway's (plan::OpenGateway) before the kernel
  /// begins with it, to anywhere but loopback. Only what the caller has written down, who may
  /// change it meanwhile: a reason to open the port, and no decision.
  using OnConnect = std::function<void(int family, std::uint16_t port)>;
  void on_connect(OnConnect told) { on_connect_ = std::move(told); }  ///< before start()

  /// `listener`: invalid when there is none; then nothing is known of denials. An Error of kind
  /// setup when it cannot be used: the run must not go on, whose denied calls nobody answers.
  Result<void> start(os::UniqueFd listener, const plan::Plan& plan, Nanos now);
  void watch(PollSet& set, Nanos now);
  void step(const PollSet& set, Nanos now, const Tell& tell);
  /// Before the tree is to stand still: a call that was received cannot (os::SeccompListener).
  void answer_all(Nanos now, const Tell& tell);
  /// When to watch again, after the budget was used up.
  [[nodiscard]] std::optional<Nanos> next() const;

  /// Once, at the end. nullopt: nobody listened for denials. At most kMostKinds; what comes on top
  /// is counted in others().
  std::optional<std::vector<Denial>> take();
  [[nodiscard]] std::uint64_t others() const { return others_; }
  /// Likewise; empty without Learning.
  Observations take_observations() { return learner_.take(); }
  /// The command itself (pid 2) was killed for a call.
  [[nodiscard]] bool killed_payload() const { return killed_payload_; }
  /// Somebody had to be killed and could not be: the run must not go on.
  [[nodiscard]] bool out_of_hand() const { return out_of_hand_; }

 private:
  static constexpr std::size_t kMostKinds = 100;
  static constexpr int kAtOnce = 32;

  /// Who made a call last, and which: a loop of denied calls is not looked up each time.
  struct Last {
    pid_t thread = 0;
    seccomp_data call{};
    std::uint32_t action = 0;
    os::ThreadFacts who{};  ///< process 0: unknown
    std::size_t entry = 0;
    Nanos until = 0;
  };

  /// A call that is allowed and only heard for what it is about to do.
  [[nodiscard]] bool is_connect(const os::SeccompNotice& notice) const;
  void announce(const os::SeccompNotice& notice) const;
  void receive_all();
  [[nodiscard]] bool receive_one();  ///< false: none waits
  void answer_next(Nanos now, const Tell& tell);
  void learn(const os::SeccompNotice& notice, Nanos now, const Tell& tell);
  void look_up(const os::SeccompNotice& notice, Nanos now, const Tell& tell);
  std::size_t entry_for(Denial denial, const Tell& tell, const seccomp_data& call);
  void answer(const os::SeccompNotice& notice);
  void kill(const os::SeccompNotice& notice);

  const plan::Plan* plan_ = nullptr;
  os::SeccompListener listener_;
  Learner learner_;
  OnConnect on_connect_{};
  std::vector<network::PortRange> late_{};
  Allowance allowance_;
  std::optional<Nanos> resting_until_;
  /// Calls are received as they come and wait for their turn here, where no signal interrupts them.
  bool eager_ = false;
  std::deque<os::SeccompNotice> received_;
  std::size_t index_ = kNotPolled;
  bool heard_ = false;
  std::vector<Denial> found_;
  std::uint64_t others_ = 0;
  Last last_;
  bool killed_payload_ = false;
  bool out_of_hand_ = false;
};

}  // namespace sbx::supervise
