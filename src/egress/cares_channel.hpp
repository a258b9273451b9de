// A channel of c-ares in the loop; the only file that knows c-ares. It looks into /etc/hosts and
// asks the servers of /etc/resolv.conf as they are when it is made, and never completes a name by a
// search domain.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "egress/loop.hpp"
#include "egress/resolver.hpp"

struct ares_channeldata;

namespace sbx::egress {

class CaresChannel : private Watcher {
 public:
  using Answered = std::function<void(const std::string& name, const Resolved& answer)>;

  /// `servers`: "127.0.0.1:5353,..." in place of those of /etc/resolv.conf; empty: those. The error
  /// is what c-ares says.
  static std::expected<std::unique_ptr<CaresChannel>, std::string> make(Loop& loop,
                                                                        const std::string& servers,
                                                                        Answered answered);
  ~CaresChannel() override;

  /// `answered` is told once, also from within. At the latest when all servers have been asked
  /// twice; it may ask again.
  void ask(const std::string& name);

 private:
  struct Question {
    CaresChannel& channel;
    std::string name{};
  };
  using Handle = ares_channeldata*;

  CaresChannel(Loop& loop, Answered answered)
      : loop_(loop), answered_(std::move(answered)), alarm_(loop, *this) {}

  std::string open(const std::string& servers);
  void ready(int fd, std::uint32_t events) override;
  void watch(int fd, bool readable, bool writable);
  /// After each call of c-ares': tells what it has answered, and waits for what it waits for.
  void settle();
  void take(const Question& question, const Resolved& answer);

  Loop& loop_;
  Answered answered_;
  Alarm alarm_;
  Handle handle_ = nullptr;
  std::set<int> watched_{};
  std::set<std::unique_ptr<Question>> open_{};
  std::vector<std::pair<std::string, Resolved>> told_{};
};

}  // namespace sbx::egress
