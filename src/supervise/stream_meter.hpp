// What is made of one output stream on its way: counted, cleared of secrets, hashed, bounded, kept.
// All but the count is about what is left when the secrets are masked. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.hpp"
#include "plan/plan.hpp"
#include "supervise/outcome.hpp"
#include "supervise/output_cap.hpp"

namespace sbx::supervise {

struct MeterRules {
  bool hash = false;
  bool keep = false;  ///< collect what goes on, for the result
  std::optional<std::uint64_t> cap{};
  profile::OnExceed on_exceed = profile::OnExceed::truncate;
  Redactor redactor{};  ///< what is masked before anything else sees it
  /// Told of every piece that goes on (events); may be empty.
  std::function<void(std::string_view)> observer{};
};

/// The rules for stdout (`cap` limits.output.stdout) or stderr under this plan; observer unset.
MeterRules meter_rules(const plan::Supervision& supervision,
                       const std::optional<profile::Bytes>& cap);

class StreamMeter {
 public:
  explicit StreamMeter(MeterRules rules);

  /// Nothing but counting is wanted, so the bytes need not be looked at: count() is enough.
  [[nodiscard]] bool only_counts() const;
  void count(std::uint64_t bytes) { record_.bytes += bytes; }

  /// Takes what the payload wrote; returns the part of it that goes on now, valid until the next.
  std::string_view feed(std::string_view bytes);
  /// The stream has ended; what still goes on (the tail of a bounded stream). Once.
  std::string finish();

  /// The cap is passed and on_exceed says kill.
  [[nodiscard]] bool must_kill() const;
  /// Masks so far.
  [[nodiscard]] std::uint64_t redactions() const { return stream_ ? stream_->total() : 0; }
  void add_redactions(redact::Counts& counts) const;
  /// Valid after finish().
  StreamRecord take_record();

 private:
  std::string_view bound(std::string_view bytes);
  void pass_on(std::string_view bytes);

  MeterRules rules_;
  std::optional<OutputCap> truncation_;
  Sha256 hash_;
  StreamRecord record_;
  std::optional<redact::Stream> stream_;
  std::string clean_;
};

}  // namespace sbx::supervise
