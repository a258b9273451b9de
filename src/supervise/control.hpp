// The supervisor's door for `sbx ps`, `kill`, `pause`, `resume` and `stats`: a socket in the
// runtime folder, served from the run's own loop.
//
// Nobody who knocks can delay the run: everything is non-blocking, a request has a second and 1
// KiB, eight may knock at once, and whoever is late, talks rubbish or does not read is dropped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "supervise/clock.hpp"
#include "supervise/control_protocol.hpp"
#include "supervise/poll_set.hpp"
#include "supervise/registry.hpp"

namespace sbx::supervise {

class Control {
 public:
  /// The answer to a request; nullopt: it will be accepted() when the run has ended.
  using Serve = std::function<std::optional<std::string>(const Request&)>;

  Control() = default;
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  Control(Control&&) = delete;
  Control& operator=(Control&&) = delete;
  ~Control() { remove_name(); }

  /// Makes the socket. On failure nobody finds the run, which goes on all the same.
  SysResult<void> open(const std::string& run_id, const std::string& given_name);
  /// Removes what killed supervisors left beside it. nullopt: another one has just done it
  /// (registry.hpp).
  [[nodiscard]] std::optional<Swept> sweep() const;

  void watch(PollSet& set);
  void step(const PollSet& set, Nanos now, const Serve& serve);
  /// When a client will have been too slow.
  [[nodiscard]] std::optional<Nanos> next() const;

  /// The run has ended: nobody is heard any more who does not wait for that. Its name stays, by
  /// which the next run finds its groups should we be killed before they are removed.
  void close();
  /// Nothing of it is left, nor is its name: those who wait for that are told.
  void tell_end();

 private:
  struct Client {
    os::UniqueFd socket;
    std::string request;
    Nanos deadline = 0;
    bool awaits_end = false;
    std::size_t index = kNotPolled;
    bool done = false;
  };

  void take_clients(Nanos now);
  static void read_request(Client& client, const Serve& serve);
  void remove_name();

  os::UniqueFd folder_;
  os::UniqueFd listener_;
  std::string name_;
  std::size_t index_ = kNotPolled;
  std::vector<Client> clients_;
};

}  // namespace sbx::supervise
