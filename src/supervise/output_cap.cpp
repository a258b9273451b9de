// Head through, tail in a ring.
#include "supervise/output_cap.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "supervise/encode.hpp"

namespace sbx::supervise {
namespace {

constexpr std::uint64_t kLongestTail = 8U << 20U;

}  // namespace

OutputCap::OutputCap(std::uint64_t cap)
    : cap_(cap), head_left_(cap - std::min(cap / 2, kLongestTail)) {}

std::string_view OutputCap::feed(std::string_view bytes) {
  fed_ += bytes.size();
  std::string_view now;
  if (!head_closed_) {
    now = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), head_left_));
    if (now.size() < bytes.size()) {
      now.remove_suffix(incomplete_utf8_suffix(now));
      head_closed_ = true;
    }
    head_left_ -= now.size();
    head_sent_ += now.size();
    // What the head left unused is the tail's: a stream that fits the cap loses nothing.
    if (head_closed_) ring_size_ = static_cast<std::size_t>(cap_ - head_sent_);
  }
  hold(bytes.substr(now.size()));
  return now;
}

void OutputCap::hold(std::string_view bytes) {
  if (ring_size_ == 0 || bytes.empty()) return;
  if (bytes.size() >= ring_size_) {
    ring_.assign(bytes.substr(bytes.size() - ring_size_));
    ring_start_ = 0;
    return;
  }
  const std::size_t room = ring_size_ - ring_.size();
  ring_.append(bytes.substr(0, room));
  bytes.remove_prefix(std::min(room, bytes.size()));
  while (!bytes.empty()) {
    const std::size_t run = std::min(bytes.size(), ring_size_ - ring_start_);
    bytes.copy(ring_.data() + ring_start_, run);
    ring_start_ = (ring_start_ + run) % ring_size_;
    bytes.remove_prefix(run);
  }
}

std::string OutputCap::finish() {
  std::string tail = ring_.substr(ring_start_) + ring_.substr(0, ring_start_);
  ring_.clear();
  ring_start_ = 0;
  if (!exceeded()) return tail;
  std::size_t cut = 0;
  while (cut < tail.size() && cut < 3 && continues_character(tail[cut])) ++cut;
  tail.erase(0, cut);
  return "\n[sbx: " + std::to_string(fed_ - head_sent_ - tail.size()) + " bytes dropped]\n" + tail;
}

}  // namespace sbx::supervise
