// What a session begins with: the copy of the operator's folder, which a copy of this process makes
// while the client is heard, and which interpreters start.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/text.hpp"
#include "mcp/server.hpp"

namespace sbx::mcp {
namespace {

/// How sbx itself has failed, of a result; nullopt: it has not.
std::optional<std::string> failed(const RunChild& child) {
  const Json result = child.result();
  if (result.is_null()) return "sbx run has ended without a result: " + child.complaint();
  const std::string status = result.value("status", "");
  if (status != "setup_error" && status != "internal_error") return std::nullopt;
  return child.complaint().empty() ? result["reason"].value("text", "") : child.complaint();
}

/// For the way from one process to another.
Json to_json(const Error& error) {
  return {{"kind", static_cast<int>(error.kind)},
          {"what", error.what},
          {"where", error.where},
          {"hint", error.hint},
          {"errno", error.sys_errno}};
}

Error to_error(const Json& json) {
  return {.kind = static_cast<ErrorKind>(json.value("kind", 0)),
          .what = json.value("what", ""),
          .where = json.value("where", ""),
          .hint = json.value("hint", ""),
          .sys_errno = json.value("errno", 0)};
}

}  // namespace

struct Server::Trial {
  Runner runner;
  std::unique_ptr<RunChild> child;
};

Result<void> Server::begin_copying() {
  copying_.emplace(SBX_TRY(WorkChild::start([this]() -> Json {
    const auto copied = setup_.workspace.copy_host();
    return copied ? Json::object() : to_json(copied.error());
  })));
  return {};
}

Result<void> Server::finish_copying() {
  if (!copying_ || !copying_->ended()) return {};
  const Json failure = copying_->answer();
  copying_.reset();
  if (failure.is_null())
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "the copy of the workspace was broken off",
                                 .hint = "somebody has killed what made it, or it had not enough "
                                         "memory"});
  if (!failure.empty()) return std::unexpected(to_error(failure));
  has_workspace_ = true;
  return {};
}

void Server::stop_copying() {
  if (copying_) copying_->kill();
  copying_.reset();
}

Result<std::vector<Server::Trial>> Server::start_trials() {
  std::vector<std::string> elsewhere;
  if (!has_workspace_)
    elsewhere.push_back(
        "--set=workspace.source=" +
        json_string(SBX_TRY(setup_.workspace.make_stand_in(setup_.profile.workdir))));
  std::vector<Trial> trials;
  for (const Runner runner : {Runner::python, Runner::node, Runner::shell}) {
    Order order = trial_of(runner, setup_.profile);
    order.flags.insert(order.flags.end(), elsewhere.begin(), elsewhere.end());
    trials.push_back({runner, SBX_TRY(start(std::move(order), false))});
  }
  return trials;
}

/// Until they have ended; where there are none, until the workspace is there. False: we are asked
/// to end.
Result<bool> Server::wait_for(std::vector<Trial>& trials) {
  std::optional<Error> failure;
  bool asked = false;
  const auto lasts = [&] {
    return trials.empty()
               ? copying_ && !asked && !failure
               : std::ranges::any_of(trials, [](const Trial& one) { return !one.child->ended(); });
  };
  while (lasts()) {
    set_.clear();
    const std::size_t signal = set_.add(setup_.gate.fd(), POLLIN);
    if (copying_) copying_->watch(set_);
    for (Trial& one : trials) one.child->watch(set_, true);
    if (::poll(set_.data(), set_.size(), -1) < 0 && errno != EINTR)
      return std::unexpected(
          Error{.kind = ErrorKind::host, .what = "cannot wait", .sys_errno = errno});
    if (copying_) copying_->step(set_);
    if (auto copied = finish_copying(); !copied) failure = std::move(copied).error();
    asked = asked || (set_.revents(signal) != 0 && setup_.gate.take() != 0);
    for (Trial& one : trials) {
      if (asked || failure) one.child->cancel(supervise::now_ns());
      one.child->step(set_, {});
    }
  }
  if (failure) return std::unexpected(*std::move(failure));
  return !asked;
}

Result<bool> Server::prepare() {
  if (!has_workspace_) SBX_CHECK(begin_copying());
  const bool elsewhere = !has_workspace_;
  auto trials = SBX_TRY(start_trials());
  if (!SBX_TRY(wait_for(trials))) return false;
  if (elsewhere && std::ranges::any_of(
                       trials, [](const Trial& one) { return failed(*one.child).has_value(); })) {
    // It may be for something that only the workspace has, such as a folder behind a link.
    trials.clear();
    if (!SBX_TRY(wait_for(trials))) return false;
    trials = SBX_TRY(start_trials());
    if (!SBX_TRY(wait_for(trials))) return false;
  }
  offer_.runners.push_back(Runner::command);
  for (const Trial& one : trials) {
    if (const auto why = failed(*one.child))
      return std::unexpected(Error{.kind = ErrorKind::host, .what = *why});
    const Json result = one.child->result();
    if (result.value("status", "") == "ok") offer_.runners.push_back(one.runner);
    forget(*one.child);
  }
  return true;
}

}  // namespace sbx::mcp
