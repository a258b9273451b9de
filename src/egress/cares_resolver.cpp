// Who waits for which question.
#include "egress/cares_resolver.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace sbx::egress {
namespace {

/// c-ares asks each server of three twice, which may take 13 seconds when none answers; a payload
/// that asks has asked again by then (resolv.conf(5): after 5).
constexpr Nanos kPatience = 5 * kSecond;

Resolved failure(std::string problem) {
  return {.state = Resolved::State::failed, .problem = std::move(problem)};
}

}  // namespace

void CaresResolver::resolve(const std::string& name, Done done) {
  if (const auto known = cache_.find(name, loop_.now())) {
    done(*known);
    return;
  }
  const auto asked = open_.find(name);
  if (asked == open_.end()) {
    ask(name, std::move(done));
    return;
  }
  if (asked->second.askers.empty()) asked->second.until = loop_.now() + kPatience;
  asked->second.askers.push_back(std::move(done));
  set_alarm();
}

void CaresResolver::ask(const std::string& name, Done done) {
  if (busy()) {
    done(failure("too many names are being resolved at once"));
    return;
  }
  if (channel_ == nullptr) {
    auto made = CaresChannel::make(
        loop_, servers_,
        [this](const std::string& of, const Resolved& answer) { answered(of, answer); });
    if (!made.has_value()) {
      done(failure(made.error()));
      return;
    }
    channel_ = std::move(*made);
  }
  Question& question = open_[name];
  question.askers.push_back(std::move(done));
  question.until = loop_.now() + kPatience;
  set_alarm();
  channel_->ask(name);
}

void CaresResolver::answered(const std::string& name, const Resolved& answer) {
  cache_.keep(name, answer, loop_.now());
  const auto question = open_.extract(name);
  set_alarm();
  if (question.empty()) return;
  for (const Done& done : question.mapped().askers) done(answer);
}

void CaresResolver::ready(int /*fd*/, std::uint32_t /*events*/) {
  std::vector<Done> late;
  for (auto& [name, question] : open_) {
    if (question.until > loop_.now()) continue;
    std::ranges::move(question.askers, std::back_inserter(late));
    question.askers.clear();
  }
  set_alarm();
  for (const Done& done : late) done(failure("timeout while contacting DNS servers"));
}

void CaresResolver::set_alarm() {
  std::optional<Nanos> first;
  for (const auto& [name, question] : open_) {
    if (question.askers.empty()) continue;
    first = std::min(first.value_or(question.until), question.until);
  }
  if (first.has_value())
    alarm_.set(*first);
  else
    alarm_.cancel();
}

}  // namespace sbx::egress
