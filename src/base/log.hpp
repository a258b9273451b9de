// sbx's own log (`--log FILE`). spdlog is known to log.cpp only; until open() every call is one
// test of a flag. Never written to by init or the payload.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::log {

enum class Level { debug, info, warning, error };

/// "debug", "info", "warn", "error".
std::optional<Level> parse_level(std::string_view name);

/// From now on messages of at least `level` are appended to `file`, which is made when it is not
/// there.
Result<void> open(const std::string& file, Level level);

/// Would a message of this level be written?
bool enabled(Level level);

/// Why the first line that is missing could not be written; nothing: none is missing.
std::optional<Errno> failure();

/// One line with time, process id and level; control bytes are shown as escapes.
void write(Level level, std::string_view message);

}  // namespace sbx::log
