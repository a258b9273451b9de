// The lines that a batch writes, one a job, and how they are read again by --resume. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::batch {

/// Of the text of a job's line, without its line end.
struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Digest&) const = default;
  auto operator<=>(const Digest&) const = default;
};

/// 128 bits of the SHA-256 of `text`.
Digest digest_of(std::string_view text);

/// What stands before and after the result's own object on a line: the line is one write.
std::string line_head(const std::string& id, std::size_t line, const Digest& digest,
                      std::size_t attempts);
inline constexpr std::string_view kLineTail = "}\n";

/// Of a line that was written before.
struct Written {
  std::string id;
  Digest digest{};
  std::string status;
  std::string profile{};     ///< what identifies its effective profile; empty: it had none
  bool undelivered = false;  ///< something that was to be kept or applied was not
};

/// Whether `text`, which may be torn off anywhere, can be the beginning of a line of a batch.
bool begins_line(std::string_view text);

/// Errors, kind usage and without a place: `line` (without its end) is no whole line of a batch.
Result<Written> read_line(std::string_view line);

/// JSON Schema (2020-12) of one line, as text, which needs no other document. `result_schema`: of
/// the result in it.
std::string batch_schema(std::string_view result_schema);

}  // namespace sbx::batch
