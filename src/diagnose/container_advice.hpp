// What to change about the container that sbx is in, in the words of the one who starts it. Pure.
#pragma once

#include <string>

namespace sbx::diagnose {

enum class Obstacle {
  filter,    ///< its seccomp profile
  masks,     ///< what it mounts over parts of /proc
  no_mount,  ///< a security module's rules for it
  ids,       ///< the ids that exist in it
};

/// `container`: as Surroundings has it. Never empty.
std::string container_advice(const std::string& container, Obstacle obstacle);

}  // namespace sbx::diagnose
