// One pass over each piece: count, hash, bound, keep, tell.
#include "supervise/stream_meter.hpp"

#include <algorithm>
#include <utility>

#include "supervise/encode.hpp"

namespace sbx::supervise {
MeterRules meter_rules(const plan::Supervision& supervision,
                       const std::optional<profile::Bytes>& cap) {
  MeterRules rules;
  rules.hash = supervision.meter || supervision.capture;
  rules.keep = supervision.capture;
  rules.cap = cap;
  rules.on_exceed = supervision.output.on_exceed;
  if (rules.keep && !rules.cap) {
    // A bound that nobody asked for may shorten, but not kill.
    rules.cap = profile::kCaptured;
    rules.on_exceed = profile::OnExceed::truncate;
  }
  return rules;
}

StreamMeter::StreamMeter(MeterRules rules) : rules_(std::move(rules)) {
  record_.keep_text = rules_.keep;
  if (rules_.cap && rules_.on_exceed == profile::OnExceed::truncate)
    truncation_.emplace(*rules_.cap);
  if (!rules_.redactor) return;
  const bool read_later = rules_.keep && !rules_.observer;
  stream_.emplace(rules_.redactor, read_later ? redact::Reader::later : redact::Reader::waiting);
}

bool StreamMeter::only_counts() const {
  return !rules_.hash && !rules_.keep && !rules_.cap && !rules_.observer && !stream_;
}

std::string_view StreamMeter::feed(std::string_view bytes) {
  record_.bytes += bytes.size();
  if (stream_) {
    clean_.clear();
    stream_->feed(bytes, clean_);
    bytes = clean_;
  }
  return bound(bytes);
}

std::string_view StreamMeter::bound(std::string_view bytes) {
  const std::uint64_t before = record_.left;
  record_.left += bytes.size();
  if (rules_.hash) hash_.put(bytes);
  if (truncation_) {
    bytes = truncation_->feed(bytes);
  } else if (rules_.cap) {
    const std::uint64_t room = *rules_.cap - std::min(before, *rules_.cap);
    const bool cut = room > 0 && bytes.size() > room;
    bytes = bytes.substr(0, room);
    if (cut) bytes.remove_suffix(incomplete_utf8_suffix(bytes));
  }
  pass_on(bytes);
  return bytes;
}

std::string StreamMeter::finish() {
  std::string rest;
  if (stream_) {
    clean_.clear();
    stream_->finish(clean_);
    rest = bound(clean_);
  }
  std::string tail;
  if (truncation_) {
    tail = truncation_->finish();
    record_.truncated = truncation_->exceeded();
    truncation_.reset();
  } else {
    record_.truncated = must_kill();
  }
  pass_on(tail);
  if (rules_.hash) record_.sha256 = hash_.hex();
  return rest + tail;
}

void StreamMeter::add_redactions(redact::Counts& counts) const {
  if (!stream_) return;
  for (const auto& [name, count] : stream_->counts()) counts[name] += count;
}

void StreamMeter::pass_on(std::string_view bytes) {
  if (bytes.empty()) return;
  if (rules_.keep) record_.captured += bytes;
  if (rules_.observer) rules_.observer(bytes);
}

bool StreamMeter::must_kill() const {
  return rules_.cap && rules_.on_exceed == profile::OnExceed::kill && record_.left > *rules_.cap;
}

StreamRecord StreamMeter::take_record() { return std::move(record_); }

}  // namespace sbx::supervise
