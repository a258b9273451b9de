#include "cli/secrets.hpp"

#include <string.h>

#include <utility>

#include "os/own_memory.hpp"
#include "os/secret_source.hpp"

namespace sbx::cli {
namespace {

using profile::Problems;

constexpr std::size_t kShortest = 4;  // less would be found, and masked, everywhere
constexpr std::string_view kVariable = "env:";

Result<os::SecretMemory> read_one(const plan::PlannedSecret& secret) {
  os::SecretMemory value = SBX_TRY(os::read_secret({secret.from, secret.base, secret.env}));
  if (secret.redact && value.value().size() < kShortest)
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "its value is too short to be redacted: it has " +
                                         std::to_string(value.value().size()) + " bytes",
                                 .hint = "of 4 bytes and more; or say `redact: false`"});
  return value;
}

}  // namespace

void forget_variable(const std::string& name, std::map<std::string, std::string>& env) {
  os::forget_variable(name.c_str());
  const auto copy = env.find(name);
  if (copy == env.end()) return;
  ::explicit_bzero(copy->second.data(), copy->second.size());
  env.erase(copy);
}

std::expected<std::vector<os::SecretMemory>, Problems> read_secrets(
    const plan::Plan& plan, std::map<std::string, std::string>& env) {
  std::vector<os::SecretMemory> values;
  if (plan.secrets.empty()) return values;
  if (const auto closed = os::close_memory(); !closed)
    return std::unexpected(Problems{{.kind = ErrorKind::host,
                                     .what = "cannot close our memory to others",
                                     .sys_errno = closed.error().value}});
  Problems problems;
  for (const plan::PlannedSecret& secret : plan.secrets) {
    auto value = read_one(secret);
    if (value) {
      values.push_back(*std::move(value));
      continue;
    }
    problems.push_back(std::move(value).error());
    problems.back().what = "the secret `" + secret.name + "`: " + problems.back().what;
    problems.back().where = secret.origin.to_string();
  }
  for (const plan::PlannedSecret& secret : plan.secrets)
    if (secret.from.starts_with(kVariable))
      forget_variable(secret.from.substr(kVariable.size()), env);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return values;
}

}  // namespace sbx::cli
