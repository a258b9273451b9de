// What a run would let the command do, from the plan and a look at the host, and which line decides
// it: `sbx explain --why`. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "network/address.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"

namespace sbx::plan {

enum class Verdict {
  allowed,
  partly,  ///< with conditions, which Answer::what names: read but not written, some arguments only
  denied,
};

struct Answer {
  std::string question;  ///< as it was understood: "path:/etc/shadow"
  Verdict verdict = Verdict::denied;
  bool absent = false;     ///< path: nothing in the plan puts anything there
  std::string what;        ///< what the command meets
  std::string because;     ///< why it is so
  std::string key;         ///< the profile key that decides; empty: none does
  Origin origin;           ///< where that is written; empty file: a default
  std::string allow_with;  ///< a line of a profile that would allow it; empty: there is none
  std::string hint;        ///< what to do where one line is not enough
};

/// What of the host an answer needs that no plan has. Without it nothing is taken for missing.
struct Host {
  /// Is nothing at `path`, absolute? `follow`: as a mount finds it, through links; else a path with
  /// a link on the way, which leads elsewhere inside, is not known to be missing.
  std::function<bool(const std::string& path, bool follow)> lacks{};
  /// What a path leads to, through links; empty: nowhere.
  std::function<std::string(const std::string& path)> real_path{};
  /// Does it lead to a character device?
  std::function<bool(const std::string& path)> is_device{};
  /// Does root have to leave its owners as they are on disk (`degrade: [idmap]`)?
  std::function<bool(const std::string& path)> refuses_idmap{};
  /// Is it one of the host's own addresses? Without it none is.
  std::function<bool(const network::Address& address)> is_own{};
  const std::map<std::string, std::string>* env = nullptr;  ///< the caller's
};

/// `question` is path:/x, host:NAME:PORT, syscall:NAME or env:NAME; an Error of kind usage when it
/// is none of these, or asks for what does not exist.
Result<Answer> why(const profile::Profile& profile, const Plan& plan, std::string_view question,
                   const Host& host = {});

/// For a person, a few lines with a line end.
std::string answer_text(const Answer& answer);
/// The same as one JSON object (a line), schema sbx.why/1.
std::string answer_json(const Answer& answer);

}  // namespace sbx::plan
