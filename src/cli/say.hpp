// What sbx itself tells the caller. One write(2) each, so that lines of several runs do not mix.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "profile/load.hpp"
#include "supervise/clock.hpp"

namespace sbx::cli {

/// Writes all of `text` to `fd`.
SysResult<void> write_all(int fd, std::string_view text);

/// The same, but a reader that takes nothing for `patience_ms` has had its time: ETIMEDOUT.
constexpr int kPatienceMs = supervise::kReaderPatience / supervise::kMillisecond;
SysResult<void> write_patiently(int fd, std::string_view text, int patience_ms = kPatienceMs);

/// `text` on standard error, as far as that takes it: a reader that reads no more holds up nothing
/// for longer than supervise::kReaderPatience, and once in all.
void write_error(std::string_view text);

/// `text` on standard error, "sbx: " before each line; control bytes are shown as escapes.
void say(std::string_view text);
void say(profile::Problems problems);
/// Says it, and returns the exit code of a verb that ends by it.
int fail_with(const Error& error);

/// What helps against several in a row stands below the last.
void say_hints_once(profile::Problems& problems);

/// Colours on standard output for a person only: no-color.org, and terminals that have none.
bool wants_colour();

/// `text` on standard output, as it is. Returns the exit code: 125 when it could not be written.
int print(std::string_view text);

}  // namespace sbx::cli
