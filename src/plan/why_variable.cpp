// --why env:NAME
#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"
#include "plan/why_parts.hpp"
#include "profile/checks.hpp"

namespace sbx::plan {
namespace {

constexpr std::array<std::string_view, 6> kOurs{"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "USER"};

const std::string* entry_of(const Plan& plan, std::string_view name) {
  for (const std::string& entry : plan.env)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return &entry;
  return nullptr;
}

/// "env.pass[2]"; empty when the profile does not pass it.
std::string passed_by(const profile::Env& env, std::string_view name) {
  const auto found = std::ranges::find(env.pass, name);
  if (found == env.pass.end()) return "";
  return "env.pass[" + std::to_string(found - env.pass.begin()) + "]";
}

Answer present(const Asked& asked, std::string_view name, const std::string& passed) {
  if (asked.profile.env.set.contains(std::string(name))) {
    Answer answer = asked.decided_by("env.set." + std::string(name));
    answer.because = "env.set has it, which wins over env.pass";
    return answer;
  }
  if (!passed.empty() &&
      (asked.host.env == nullptr || asked.host.env->contains(std::string(name)))) {
    Answer answer = asked.decided_by(passed);
    answer.because = "env.pass takes it from the caller";
    return answer;
  }
  if (std::ranges::find(kOurs, name) != kOurs.end()) {
    Answer answer = asked.decided_by("env.set");
    answer.because = "every command gets one; env.set changes it";
    return answer;
  }
  if (asked.profile.root.kind == profile::RootKind::oci && name != "TERM") {
    Answer answer = asked.decided_by("root");
    answer.because = "the image sets it; env.set changes it";
    return answer;
  }
  const bool terminal = name == "TERM";
  if (name == "TMPDIR" && asked.plan.isolation.tier == "landlock") {
    Answer answer = asked.decided_by("");
    answer.because = "the run has a folder of its own for temporary files; env.set changes it";
    return answer;
  }
  Answer answer = asked.decided_by(terminal ? "stdio.tty" : "tools");
  answer.because = terminal ? "the command has a terminal" : "one of the tools needs it";
  return answer;
}

/// The secret whose value it has.
const PlannedSecret* secret_of(const Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.secrets, name, &PlannedSecret::env);
  return found == plan.secrets.end() ? nullptr : &*found;
}

/// The secret that is taken from the caller's variable; the profile may not pass it as well.
const PlannedSecret* taken_from(const Plan& plan, std::string_view name) {
  const auto found =
      std::ranges::find(plan.secrets, "env:" + std::string(name), &PlannedSecret::from);
  return found == plan.secrets.end() ? nullptr : &*found;
}

/// The command has no variable of this name.
Answer lacking(const Asked& asked, std::string_view name, const std::string& passed) {
  Answer answer = asked.decided_by(passed.empty() ? "env" : passed);
  answer.what = "the command does not get it";
  const bool unset = asked.host.env != nullptr && !asked.host.env->contains(std::string(name));
  if (!profile::is_env_name(name)) {
    answer.because = "names of variables are letters, digits and _ in a profile";
  } else if (const PlannedSecret* const secret = taken_from(asked.plan, name)) {
    answer = asked.decided_by("secrets." + secret->name + ".from");
    answer.what = "the command does not get it";
    answer.because = "the secret " + quote(secret->name) + " is taken from it";
    answer.allow_with =
        "secrets: {" + yaml_word(secret->name) + ": {env: " + yaml_word(name) + "}}";
  } else if (!passed.empty() || unset) {
    answer.because = passed.empty() ? "no line of the profile sets it, and the caller has none"
                                    : "env.pass names it, but the caller has none";
    answer.allow_with = "env: {set: {" + yaml_word(name) + ": VALUE}}";
  } else {
    answer.because = "of the caller's variables only those named in env.pass enter";
    answer.allow_with = "env: {pass: [" + yaml_word(name) + "]}";
  }
  return answer;
}

}  // namespace

Result<Answer> why_variable(const Asked& asked, std::string_view name) {
  if (name.contains('='))
    return bad_question(quote(name) + " is no name of a variable", "ask as in env:LANG");
  if (const PlannedSecret* const secret = secret_of(asked.plan, name)) {
    Answer answer = asked.decided_by("secrets." + secret->name + ".env");
    answer.verdict = Verdict::allowed;
    answer.what = "the command gets it, with the value of the secret " + quote(secret->name);
    answer.because = "it is taken from " + printable(secret->from, 60) + " when the run starts";
    return answer;
  }
  const std::string passed = passed_by(asked.profile.env, name);
  if (const std::string* entry = entry_of(asked.plan, name)) {
    Answer answer = present(asked, name, passed);
    answer.verdict = Verdict::allowed;
    answer.what = "the command gets " + printable(*entry);
    return answer;
  }
  return lacking(asked, name, passed);
}

}  // namespace sbx::plan
