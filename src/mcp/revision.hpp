// The revisions of the Model Context Protocol: which there are, how one is agreed on, and what an
// older client must not be sent. Pure.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "mcp/message.hpp"

namespace sbx::mcp {

/// In their order. Since the last there is no handshake: each request says which it is of.
enum class Revision { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25, r2026_07_28 };

std::string_view name_of(Revision revision);

/// What `initialize` is answered with: the one asked for, or the latest with a handshake.
Revision negotiate(std::string_view asked);

/// The revision that a request names in its `_meta`; nullopt: it names none, so it is of a session
/// that a handshake has begun. Refused: one that we do not have, or what else it has to say is
/// missing.
std::expected<std::optional<Revision>, Refusal> revision_of(const Json& params);

inline bool has_batches(Revision revision) { return revision == Revision::r2025_03_26; }

/// Where the id of a request could not be read, its error has none. Before, each error has an id,
/// and JSON-RPC, which the revision refers to, says which: null.
inline bool may_lack_id(Revision revision) { return revision >= Revision::r2025_11_25; }

/// What the server tells of itself; `instructions` for the model.
Json initialize_result(Revision revision, std::string_view version, std::string_view instructions);
Json discover_result(std::string_view instructions);

/// One entry of tools/list without what `revision` does not know.
Json tool_for(Revision revision, Json tool);
/// The same of a call's result: resource links become lines of text.
Json call_result_for(Revision revision, Json result);

/// Adds what every result has since 2026-07-28. `cacheable`: of a list or a resource; `lasting`: it
/// stays what it is.
Json stamp(Revision revision, Json result, std::string_view version, bool cacheable, bool lasting);

}  // namespace sbx::mcp
