// Keeping answers, and which one goes.
#include "egress/answer_cache.hpp"

#include <algorithm>

namespace sbx::egress {
namespace {

constexpr Nanos kLongest = 300;  ///< seconds: a move of a service is seen by then

}  // namespace

std::optional<Resolved> AnswerCache::find(const std::string& name, Nanos now) const {
  const auto at = kept_.find(name);
  if (at == kept_.end() || at->second.until <= now) return std::nullopt;
  Resolved answer = at->second.answer;
  const auto left = static_cast<std::uint32_t>((at->second.until - now) / kSecond);
  answer.ttl = std::min(answer.ttl, left);
  return answer;
}

void AnswerCache::keep(const std::string& name, const Resolved& answer, Nanos now) {
  Nanos seconds = 1;
  if (answer.state == Resolved::State::found)
    seconds = std::clamp(Nanos{answer.ttl}, Nanos{1}, kLongest);
  if (kept_.size() >= kMost && !kept_.contains(name)) make_room(now);
  kept_.insert_or_assign(name, Kept{.answer = answer, .until = now + seconds * kSecond});
}

void AnswerCache::make_room(Nanos now) {
  std::erase_if(kept_, [&](const auto& one) { return one.second.until <= now; });
  if (kept_.size() < kMost) return;
  kept_.erase(std::ranges::min_element(
      kept_, [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
}

}  // namespace sbx::egress
