// Secrets taken out of bytes on their way, however these are cut into pieces. Pure; memory is
// bounded by the longest form of a secret, time is linear whatever the bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "redact/matcher.hpp"

namespace sbx::redact {

/// How many masks were written, by the name in them: the secret's or the pattern's. Names without
/// a mask are absent.
using Counts = std::map<std::string, std::uint64_t>;

/// Who reads a stream: somebody who waits for each letter, or nobody before its end.
enum class Reader { waiting, later };

/// One stream of bytes. Every occurrence of a secret, in any of its forms, becomes
/// "[redacted:NAME]"; where several overlap it is one mask, with the name of the one that begins
/// first. When a piece ends in what may become one, its first three bytes go on and the rest waits;
/// so no four bytes in a row of an occurrence are ever let out. For a later reader all of it waits.
class Stream {
 public:
  explicit Stream(std::shared_ptr<const Matcher> matcher, Reader reader = Reader::waiting);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  /// Appends to `out` what may go on now.
  void feed(std::string_view in, std::string& out);
  /// The stream has ended: appends the rest. What may have been the beginning of a secret, four
  /// bytes or more, is masked. The stream can be fed anew afterwards, as another one; counts go on.
  void finish(std::string& out);

  [[nodiscard]] Counts counts() const;
  /// The sum of counts(), cheaply: for asking after every piece.
  [[nodiscard]] std::uint64_t total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A whole text; adds to `counts`.
std::string redact_text(const Matcher& matcher, std::string_view text, Counts& counts);

/// Of a text its bytes [from, to), with a mask for all that touches them: what is cut by an end of
/// that part, too.
std::string redact_part(const Matcher& matcher, std::string_view text, std::size_t from,
                        std::size_t to);
/// As far as any form of a secret reaches: in so many bytes around a part of a file, what it cuts
/// is found.
inline constexpr std::size_t kAround = 8 * kMaxValue;

}  // namespace sbx::redact
