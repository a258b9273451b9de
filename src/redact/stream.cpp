#include "redact/stream.hpp"

#include <utility>

#include "redact/engine.hpp"

namespace sbx::redact {

struct Stream::State {
  explicit State(std::shared_ptr<const Matcher> from)
      : matcher(std::move(from)), engine(*matcher) {}
  std::shared_ptr<const Matcher> matcher;
  Engine engine;
};

Stream::Stream(std::shared_ptr<const Matcher> matcher)
    : state_(std::make_unique<State>(std::move(matcher))) {}
Stream::Stream(Stream&& other) noexcept = default;
Stream& Stream::operator=(Stream&& other) noexcept = default;
Stream::~Stream() = default;

void Stream::feed(std::string_view in, std::string& out) {
  state_->engine.feed(in, Engine::kLetOut, out);
}

void Stream::finish(std::string& out) { state_->engine.finish(out); }

Counts Stream::counts() const {
  Counts counts;
  state_->engine.add_counts(counts);
  return counts;
}

std::uint64_t Stream::total() const { return state_->engine.total(); }

std::string redact_text(const Matcher& matcher, std::string_view text, Counts& counts) {
  Engine engine(matcher);
  std::string out;
  out.reserve(text.size());
  engine.feed(text, 0, out);
  engine.finish(out);
  engine.add_counts(counts);
  return out;
}

}  // namespace sbx::redact
