// Secrets are masked before anything else sees them, and in all that is told.
#include <doctest/doctest.h>

#include "supervise/redaction.hpp"
#include "supervise/stream_meter.hpp"

using namespace sbx;             // NOLINT(google-build-using-namespace)
using namespace sbx::supervise;  // NOLINT(google-build-using-namespace)

namespace {

constexpr const char* kMask = "[redacted:k]";

Redactor redactor() {
  const std::vector<redact::Needle> needles{{"k", "hunter2hunter2"}};
  auto made = redact::build_matcher(needles, {});
  REQUIRE(made.has_value());
  return *made;
}

}  // namespace

TEST_CASE("a meter counts what was written, and does all else with what is left of it") {
  std::string observed;
  StreamMeter meter(
      {.hash = true, .keep = true, .redactor = redactor(), .observer = [&](std::string_view bytes) {
         observed += bytes;
       }});
  CHECK_FALSE(meter.only_counts());
  std::string passed;
  for (const char* const piece : {"a hunter", "2hun", "ter2", " b hunter"})
    passed += meter.feed(piece);
  passed += meter.finish();
  // Three bytes go on before the rest of what may become a secret waits (redact/stream.hpp).
  const std::string wanted = std::string("a hun") + kMask + " b hun" + kMask;
  CHECK(passed == wanted);
  CHECK(observed == wanted);
  const StreamRecord record = meter.take_record();
  CHECK(record.captured == wanted);
  CHECK(record.bytes == 25);
  Sha256 hash;
  hash.put(wanted);
  CHECK(record.sha256 == hash.hex());
  redact::Counts counts;
  meter.add_redactions(counts);
  CHECK(counts == redact::Counts{{"k", 2}});
}

TEST_CASE("a bounded stream is bounded behind the masks") {
  StreamMeter meter({.cap = 12, .redactor = redactor()});
  std::string passed(meter.feed("hunter2hunter2"));
  passed += meter.finish();
  CHECK(passed == kMask);
  CHECK_FALSE(meter.take_record().truncated);
}

TEST_CASE("every word of an outcome and every text of an object is masked") {
  Outcome outcome;
  outcome.redactor = redactor();
  outcome.reason.text = "hunter2hunter2 was not found";
  outcome.warnings = {"no", "hunter2hunter2"};
  Denial denial;
  denial.target = "hunter2hunter2";
  denial.comm = "hunter2hunter2";
  outcome.denials = std::vector<Denial>{denial};
  outcome.error = Error{.what = "no hunter2hunter2"};
  redact_words(outcome);
  CHECK(outcome.reason.text == std::string(kMask) + " was not found");
  CHECK(outcome.warnings == std::vector<std::string>{"no", kMask});
  CHECK(outcome.denials->front().target == kMask);
  CHECK(outcome.denials->front().comm == kMask);
  CHECK(outcome.error->what == std::string("no ") + kMask);
  Json json{{"a", {{"b", {"x", "hunter2hunter2"}}}}, {"n", 3}};
  redact_strings(outcome.redactor, json);
  CHECK(json == Json{{"a", {{"b", {"x", kMask}}}}, {"n", 3}});
}

TEST_CASE("a plan without secrets and patterns looks for nothing") {
  const auto none = make_redactor({}, {});
  REQUIRE(none.has_value());
  CHECK(*none == nullptr);
  CHECK(redacted(*none, "text") == "text");
}
