// What a batch tells the person before it: one line while it runs, some at its end. Pure.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "supervise/outcome.hpp"

namespace sbx::cli::batch {

inline constexpr std::size_t kStatuses =
    static_cast<std::size_t>(supervise::Status::internal_error) + 1;

/// How far a batch has come.
struct Tally {
  std::size_t total = 0;
  std::size_t before = 0;     ///< had a result already (--resume)
  std::size_t otherwise = 0;  ///< of these, under another profile than is theirs now
  std::size_t live = 0;
  std::array<std::size_t, kStatuses> by_status{};  ///< of this batch and of those before
  std::size_t incomplete = 0;  ///< ended well, but what was to be kept or applied is not
  std::size_t retries = 0;
  std::chrono::milliseconds elapsed{0};
  std::chrono::milliseconds cpu{0};
  std::size_t slowest_line = 0;  ///< where the job stands; 0: none has ended
  std::chrono::milliseconds slowest_took{0};

  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t ok() const;
};

/// The bar, the counts, the rate and the time that is left, in at most `width` columns and without
/// a line end.
std::string progress_line(const Tally& tally, std::size_t width);

/// Lines for the end. `slowest`: a job's name; `results`: where they are, empty: on standard
/// output.
std::string summary_text(const Tally& tally, const std::string& slowest,
                         const std::string& results);

}  // namespace sbx::cli::batch
