// Everything that streams are searched for, made once and shared by them. Pure.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "redact/needles.hpp"

namespace sbx::redact {

/// Immutable; any number of streams, in any thread, may use it. What it is made of stands in
/// tables.hpp, for stream.cpp alone.
struct Matcher;

/// `patterns`: names of pattern_names(). An error has the kind profile and no place: a value that
/// is too short or too large, all of them together too large, an unknown pattern. With neither a
/// needle nor a pattern the matcher finds nothing.
Result<std::shared_ptr<const Matcher>> build_matcher(std::span<const Needle> needles,
                                                     std::span<const std::string> patterns);

}  // namespace sbx::redact
