// What the first bytes of a connection tell of what it speaks.
#pragma once

namespace sbx::protocol {

/// Could they still become it (maybe), or are they its beginning (yes)?
enum class Looks { maybe, yes, no };

}  // namespace sbx::protocol
