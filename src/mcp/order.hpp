// What a client asks to have run, and whether the operator's profile lets it: a client may ask for
// less, and never for more. Pure.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/arguments.hpp"
#include "profile/profile.hpp"

namespace sbx::mcp {

enum class Runner { command, python, node, shell };

/// What runs for the tool that a client calls, "run_python"; nullopt: none of these.
std::optional<Runner> runner_of(std::string_view tool);
struct Order {
  std::vector<std::string> command{};
  /// What comes on the command line of `sbx run` after the operator's flags.
  std::vector<std::string> flags{};
  std::optional<std::string> input{};  ///< for its standard input; nullopt: there is none
};

/// Bytes that it takes while it waits.
std::size_t size_of(const Order& order);

/// Shows whether the interpreter starts under the profile, soon enough.
Order trial_of(Runner runner, const profile::Profile& profile);

/// Error: in words for the model, with the bound if it is about one.
std::expected<Order, std::string> read_order(Runner runner, const Json& arguments,
                                             const profile::Profile& profile);

/// Of a stream, when the client does not say.
constexpr profile::Bytes kUsualOutput = profile::Bytes{256} << 10U;

}  // namespace sbx::mcp
