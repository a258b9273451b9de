// How figures look in JSON, in the result as in what is told of a live run. Pure. A figure that was
// not measured is null, never 0.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "plan/plan.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

using Json = nlohmann::ordered_json;

struct Member {
  const char* name;
  Json value;
};

/// An object of these members, in this order, no name twice. A third of the cost of the library's
/// nested initializer lists, which copy each value up to three times; and the result is written
/// when the caller already waits for it.
template <std::size_t N>
Json object(Member (&&members)[N]) {
  Json::object_t made;
  made.reserve(N);
  for (Member& member : members) made.emplace_back(member.name, std::move(member.value));
  return made;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::string& text);

/// Milliseconds with microseconds as their decimals; doubles print no stray digits that way.
double rounded(double ms);

/// RFC 3339, UTC, milliseconds.
std::string timestamp(std::chrono::system_clock::time_point when);

/// A limit that the host could not enforce is none.
std::optional<std::uint64_t> enforced(const plan::Plan& plan,
                                      const std::optional<std::uint64_t>& limit);

Json cpu_json(const Usage& usage);
Json io_json(const Usage& usage);
Json pressure_json(const Usage& usage);

}  // namespace sbx::supervise
