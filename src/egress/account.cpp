// How connections are put together. Each verdict has room of its own, so that a payload cannot fill
// the list with names that are refused before it uses one that is not.
#include "egress/account.hpp"

#include <utility>

namespace sbx::egress {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::allowed:
      return "allowed";
    case Verdict::denied:
      return "denied";
    case Verdict::failed:
      return "failed";
    case Verdict::limited:
      return "limited";
    case Verdict::published:
      return "published";
  }
  std::unreachable();
}

Connections& Account::note(const Connections& kind) {
  Place place{kind.host, kind.port, kind.protocol, kind.verdict, kind.allow_with};
  std::string_view reason = kind.reason;
  if (const auto seen = index_.find(place); seen != index_.end()) {
    const Reasons& reasons = seen->second;
    if (!reasons.contains(reason) && reasons.size() >= kMostReasons) reason = kOtherReasons;
    if (const auto known = reasons.find(reason); known != reasons.end()) {
      Connections& one = *kinds_[known->second];
      ++one.count;
      return one;
    }
  }
  std::size_t& listed = listed_[static_cast<std::size_t>(kind.verdict)];
  if (listed >= kMostKinds) {
    ++others_.count;
    return others_;
  }
  ++listed;
  index_[std::move(place)].emplace(reason, kinds_.size());
  kinds_.push_back(std::make_unique<Connections>(kind));
  Connections& one = *kinds_.back();
  one.reason = reason;
  one.count = 1;
  one.sent = 0;
  one.received = 0;
  if (tell_) tell_(one);
  return one;
}

std::vector<Connections> Account::take() const {
  std::vector<Connections> all;
  all.reserve(kinds_.size());
  for (const auto& one : kinds_) all.push_back(*one);
  return all;
}

}  // namespace sbx::egress
