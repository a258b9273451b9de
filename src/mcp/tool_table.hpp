// The tools as a client sees them: names, what they are for, and the JSON Schemas (2020-12) of what
// they take and give. One table; who does them is in dispatch.cpp. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcp/message.hpp"
#include "mcp/order.hpp"
#include "profile/profile.hpp"

namespace sbx::mcp {

/// What of the tools this server has: all, but for the runners. What the others may not do they
/// say.
struct Offer {
  std::vector<Runner> runners{};
  bool writes = false;       ///< write_file
  bool has_session = false;  ///< diff: the workspace is the session's own
  bool applies = false;      ///< apply: the operator lets the client change the folder
  bool open_world = false;   ///< commands have a network
};

/// The entries of tools/list, in the latest revision. `bounds`: a line about the operator's limits.
Json tool_list(const Offer& offer, const std::string& bounds);

/// "memory 512M, 128 processes, 60s of time": what bounds a command.
std::string bounds_text(const profile::Limits& limits);

/// For the model: what this server is for.
std::string instructions_text(const Offer& offer, const std::string& place,
                              const std::string& bounds);

}  // namespace sbx::mcp
