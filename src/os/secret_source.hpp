// Takes the values of secrets from where a profile says they are. Runs in the supervisor, before
// anything of the sandbox is made.
#pragma once

#include <chrono>
#include <string>

#include "base/error.hpp"
#include "os/secret_memory.hpp"

namespace sbx::os {

struct SecretRequest {
  std::string from;      ///< "env:NAME", "file:PATH", "fd:N" or "command:TEXT"
  std::string base;      ///< the folder that a relative PATH is resolved beneath
  std::string variable;  ///< of the payload, that is to have the value; empty: none
};

/// How long a command, a pipe or a FIFO may take.
inline constexpr std::chrono::seconds kSecretPatience{30};

/// The value. Of a file's and a command's one newline is taken off the end. The error says what is
/// wrong with which source, and never a byte of a value.
Result<SecretMemory> read_secret(const SecretRequest& request);

/// Overwrites the value of the variable `name` in our own environment, and takes it out.
void forget_variable(const char* name);

}  // namespace sbx::os
