#include "redact/stream.hpp"

#include <utility>

#include "redact/engine.hpp"

namespace sbx::redact {

struct Stream::State {
  State(std::shared_ptr<const Matcher> from, Reader reader)
      : matcher(std::move(from)),
        engine(*matcher),
        let_out(reader == Reader::waiting ? Engine::kLetOut : 0) {}
  std::shared_ptr<const Matcher> matcher;
  Engine engine;
  std::uint64_t let_out;
};

Stream::Stream(std::shared_ptr<const Matcher> matcher, Reader reader)
    : state_(std::make_unique<State>(std::move(matcher), reader)) {}
Stream::Stream(Stream&& other) noexcept = default;
Stream& Stream::operator=(Stream&& other) noexcept = default;
Stream::~Stream() = default;

void Stream::feed(std::string_view in, std::string& out) {
  state_->engine.feed(in, state_->let_out, out);
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

std::string redact_part(const Matcher& matcher, std::string_view text, std::size_t from,
                        std::size_t to) {
  Engine engine(matcher, from, to);
  std::string out;
  engine.feed(text, 0, out);
  engine.finish(out);
  return out;
}

}  // namespace sbx::redact
