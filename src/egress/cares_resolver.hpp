// The host's names by c-ares, as programs on the host see them. Askers for the same name share one
// question; answers are kept; whoever asks is told within five seconds.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egress/answer_cache.hpp"
#include "egress/cares_channel.hpp"
#include "egress/loop.hpp"
#include "egress/resolver.hpp"

namespace sbx::egress {

class CaresResolver : public Resolver, private Watcher {
 public:
  /// `servers` as of CaresChannel. Costs nothing until the first question.
  explicit CaresResolver(Loop& loop, std::string servers = {})
      : loop_(loop), servers_(std::move(servers)), alarm_(loop, *this) {}

  void resolve(const std::string& name, Done done) override;
  [[nodiscard]] bool busy() const override { return open_.size() >= kMostOpen; }

 private:
  static constexpr std::size_t kMostOpen = 64;
  struct Question {
    std::vector<Done> askers{};
    Nanos until = 0;  ///< when the askers are told that it takes too long; c-ares may go on
  };

  void ask(const std::string& name, Done done);
  void answered(const std::string& name, const Resolved& answer);
  void ready(int fd, std::uint32_t events) override;
  void set_alarm();

  Loop& loop_;
  std::string servers_;
  Alarm alarm_;
  AnswerCache cache_{};
  std::unordered_map<std::string, Question> open_{};
  std::unique_ptr<CaresChannel> channel_{};
};

}  // namespace sbx::egress
