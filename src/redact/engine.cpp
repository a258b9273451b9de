#include "redact/engine.hpp"

#include <algorithm>

namespace sbx::redact {
namespace {

/// The beginning of a secret at the end of the stream is masked from this length on.
constexpr std::uint64_t kMinUnfinished = 4;

}  // namespace

Engine::Engine(const Matcher& matcher, std::uint64_t from, std::uint64_t to)
    : matcher_(matcher),
      from_(from),
      to_(to),
      text_(matcher),
      base64_(matcher),
      hex_(matcher),
      shapes_(matcher),
      counts_(matcher.names.size()) {}

void Engine::feed(std::string_view in, std::uint64_t let_out, std::string& out) {
  while (!in.empty()) {
    const std::string_view piece = in.substr(0, kPiece);
    in.remove_prefix(piece.size());
    scan(piece, false);
    release(open(), in.empty() ? let_out : 0, out);
    forget();
  }
}

void Engine::finish(std::string& out) {
  scan({}, true);
  if (matcher_.has_needles()) {
    text_.unfinished(found_.text);
    base64_.unfinished(found_.base64);
    hex_.unfinished(found_.hex);
  }
  add_regions(kMinUnfinished);
  release(end(), 0, out);
  text_.reset();
  base64_.reset();
  hex_.reset();
  shapes_.reset(end());
  forget();
}

void Engine::scan(std::string_view in, bool last) {
  const Piece piece{in, end()};
  kept_.append(in);
  if (matcher_.has_needles() && !in.empty()) {
    text_.scan(piece, found_.text);
    classify(in, classes_);
    base64_.scan(piece, classes_.base64, found_.base64);
    hex_.scan(piece, classes_.hex, found_.hex);
  }
  if (matcher_.has_shapes) shapes_.scan({kept_, kept_at_}, last, found_.shapes);
  add_regions(0);
}

void Engine::add_regions(std::uint64_t shortest) {
  merged_.clear();
  for (Matches& read : found_.text) read.move_to(merged_);
  for (Matches* lane : {&found_.base64, &found_.hex, &found_.shapes}) lane->move_to(merged_);
  for (const Match& match : merged_)
    if (match.end - match.start >= shortest) regions_.add(match);
}

std::uint64_t Engine::open() const {
  std::uint64_t open = end();
  if (matcher_.has_needles()) open = std::min({open, text_.open(), base64_.open(), hex_.open()});
  if (matcher_.has_shapes) open = std::min(open, shapes_.open());
  return open;
}

/// Nothing that begins before `open` is still to be found.
void Engine::release(std::uint64_t open, std::uint64_t let_out, std::string& out) {
  while (!regions_.empty() && regions_.front().start < open) {
    let_out_to(regions_.front().start, out);
    mask(regions_.front(), out);
    regions_.pop();
  }
  const std::uint64_t next = regions_.empty() ? end() : regions_.front().start;
  // What overlaps a mask that is written already would become part of it: nothing may come between.
  if (open >= masked_) let_out_to(std::min({open + let_out, next, end()}), out);
}

void Engine::let_out_to(std::uint64_t end, std::string& out) {
  const std::uint64_t start = std::max({out_, masked_, from_});
  const std::uint64_t stop = std::min(end, to_);
  if (stop > start) out.append(kept_, start - kept_at_, stop - start);
  out_ = std::max(out_, end);
}

void Engine::mask(const Match& region, std::string& out) {
  if (region.start >= masked_) shown_ = false;
  if (!shown_ && region.end > from_ && region.start < to_) {
    shown_ = true;
    out.append("[redacted:").append(matcher_.names[region.owner]).append("]");
    ++counts_[region.owner];
    ++total_;
  }
  masked_ = std::max(masked_, region.end);
}

/// Bytes are moved when they are the lesser half, so each is moved once on average.
void Engine::forget() {
  std::uint64_t needed = std::min(std::max(out_, masked_), end());
  if (matcher_.has_shapes) needed = std::min(needed, shapes_.keep_from());
  const std::size_t gone = needed <= kept_at_ ? 0 : needed - kept_at_;
  if (gone == 0 || gone * 2 < kept_.size()) return;
  kept_.erase(0, gone);
  kept_at_ += gone;
}

void Engine::add_counts(Counts& counts) const {
  for (std::size_t owner = 0; owner < counts_.size(); ++owner)
    if (counts_[owner] != 0) counts[matcher_.names[owner]] += counts_[owner];
}

}  // namespace sbx::redact
