// Bounds one output stream and keeps its head and its tail. Pure.
//
// The first half of the cap goes on at once. What follows is held in a ring of the other half (at
// most 8 MiB; the head is longer then) and goes on at the end, with one line between when something
// fell out: "\n[sbx: N bytes dropped]\n". The line does not count. Cuts fall between UTF-8
// characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sbx::supervise {

class OutputCap {
 public:
  explicit OutputCap(std::uint64_t cap);

  /// The part of `bytes` that goes on now; the rest is held.
  std::string_view feed(std::string_view bytes);
  /// What goes on at the end of the stream: the line and the held tail. Once.
  std::string finish();
  /// More was fed than the cap lets through.
  [[nodiscard]] bool exceeded() const { return fed_ > cap_; }

 private:
  void hold(std::string_view bytes);

  std::uint64_t cap_;
  std::uint64_t head_left_;
  std::uint64_t head_sent_ = 0;
  std::uint64_t fed_ = 0;
  bool head_closed_ = false;
  std::string ring_;
  std::size_t ring_size_ = 0;   ///< its capacity, fixed when the head closes
  std::size_t ring_start_ = 0;  ///< the oldest byte, once it is full
};

}  // namespace sbx::supervise
