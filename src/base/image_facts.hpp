// What an unpacked image says of how its command is run: defaults, which a profile and the command
// line override.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sbx {

struct ImageFacts {
  bool unpacked = false;           ///< else nothing of it is known yet: `explain` unpacks nothing
  std::vector<std::string> env{};  ///< NAME=value
  std::string workdir{};
  std::vector<std::string> command{};  ///< Entrypoint and Cmd
  std::optional<std::uint32_t> uid{};
  std::optional<std::uint32_t> gid{};
  std::string user{};          ///< as the image has it
  std::string user_problem{};  ///< not empty: why `user` is nobody there; a clause
};

}  // namespace sbx
