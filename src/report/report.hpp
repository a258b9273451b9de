// One self-contained HTML page about one run, for people who would rather look than read: what ran,
// what came of it, what it used over time, what it wrote. Pure: bytes in, bytes out.
//
// Everything that comes from the run is hostile. The page has no script, loads nothing (its
// Content-Security-Policy says so too), and shows text as text: markup of the run never becomes an
// element. Pictures are shown as pictures, SVG among them: browsers run no script of an <img> and
// load nothing for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::report {

/// What the run used at one moment, as its `usage` events tell. nullopt: this host did not measure
/// it.
struct Sample {
  std::uint64_t t_ms = 0;                       ///< since the start of sbx, as in events
  std::optional<double> cpu_ms{};               ///< user and system, since the start
  std::optional<std::uint64_t> memory_bytes{};  ///< now
  std::optional<std::uint64_t> pids{};          ///< now
  std::optional<std::uint64_t> read_bytes{};    ///< since the start
  std::optional<std::uint64_t> write_bytes{};   ///< since the start
};

/// A file that the run left behind.
struct Artifact {
  std::string path{};  ///< inside the sandbox; any bytes
  std::uint64_t bytes = 0;
  std::string media_type{};  ///< as libmagic names it; empty: unknown
  std::string sha256{};      ///< in hex
};

/// What the result does not tell of the limits; nullopt: none, or not known.
struct Limits {
  std::optional<double> cpus{};
  std::optional<std::uint64_t> pids{};
  std::optional<std::uint64_t> wall_ms{};
};

struct Report {
  std::string result{};       ///< JSON, schema sbx.result/1; what is missing in it is left out
  std::string sbx_version{};  ///< "0.1.0"
  Limits limits{};
  std::vector<Sample> samples{};  ///< by time
  /// What the payload wrote, for a result that has none of it (without --json); nullopt: not kept.
  std::optional<std::string> out{};
  std::optional<std::string> err{};
  std::vector<Artifact> artifacts{};
  /// All bytes of one of `artifacts`. Asked for one at a time, and only for what the page can show:
  /// never for more than kReadMost bytes. An error is told in the artifact's place.
  std::function<Result<std::string>(const Artifact&)> read{};
};

/// Larger artifacts are listed and not shown.
inline constexpr std::uint64_t kReadMost = 16ULL << 20U;
/// What is shown of all artifacts, in bytes of HTML; once it is used up, further ones are listed
/// and not shown.
inline constexpr std::uint64_t kEmbedMost = 64ULL << 20U;
/// More artifacts than this are counted and not listed.
inline constexpr std::size_t kArtifactsMost = 1000;

/// Takes the page piece by piece; its error ends the page.
using Sink = std::function<Result<void>(std::string_view)>;

/// Writes the page; in memory is one artifact at a time. Fails when `result` is no JSON object, and
/// when `sink` does.
Result<void> render(const Report& report, const Sink& sink);

/// The page as a whole.
Result<std::string> render(const Report& report);

}  // namespace sbx::report
