// Tools that are no runs, and what a run has changed: done one at a time, in the order of their
// coming, by a copy of the server. Half a second of comparing or copying is common in a large
// workspace, and `apply` of 25,000 changes takes ten: the loop hears its client meanwhile.
#include <algorithm>
#include <utility>

#include "mcp/change_tools.hpp"
#include "mcp/server.hpp"
#include "supervise/redaction.hpp"

namespace sbx::mcp {

bool Server::is_working() const {
  return std::ranges::any_of(calls_, [](const auto& call) { return call->work != nullptr; });
}

void Server::begin_work(bool patiently) {
  if (is_working()) return;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call& call = *calls_[i];
    const bool run_over = call.child && call.child->ended();
    const bool unwanted = run_over && call.child->cancelled();
    if (!call.task && !run_over) continue;
    if (patiently && client_.congested() && !unwanted) continue;
    auto work = start_work(call);
    if (work) {
      call.work = std::make_unique<WorkChild>(std::move(*work));
      return;
    }
    auto failed = std::move(calls_[i]);
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
    return settle(std::move(failed), failure(work.error()).to_json());
  }
}

Result<WorkChild> Server::start_work(Call& call) {
  if (call.child) call.lasts = true;
  const auto task = std::exchange(call.task, {});
  return WorkChild::start([&]() -> Json {
    // Their programs would wait for the end of an input that we hold, too.
    for (const auto& other : calls_)
      if (other->child) other->child->let_go();
    Json result = (task ? task() : answer_of(call)).to_json();
    // Before what is no UTF-8 is replaced: a secret need not be any.
    if (setup_.redactor != nullptr) supervise::redact_strings(setup_.redactor, result);
    return result;
  });
}

Answer Server::answer_of(const Call& call) {
  if (call.child->cancelled()) {
    // Nobody wants to know; what it has changed is not to be found later.
    forget(*call.child);
    return {};
  }
  const Json result = call.child->result();
  if (result.is_null())
    return failure("sbx run has ended without a result: " + call.child->complaint());
  return run_answer(result, setup_.workspace, meanwhile_of(call), kept_);
}

Workspace::Meanwhile Server::meanwhile_of(const Call& call) const {
  Workspace::Meanwhile meanwhile{.began = call.began};
  for (const auto& other : calls_) {
    const bool waits = !other->child && !other->task && !other->work;  // a run that begins soon
    if (other.get() == &call || (!other->child && !waits)) continue;
    const supervise::Nanos began = waits ? supervise::now_ns() : other->began;
    meanwhile.others = std::min(meanwhile.others.value_or(began), began);
  }
  return meanwhile;
}

void Server::finish_work() {
  const auto done = std::ranges::find_if(
      calls_, [](const auto& call) { return call->work && call->work->ended(); });
  if (done == calls_.end()) return;
  auto call = std::move(*done);
  calls_.erase(done);
  Json result = call->work->answer();
  if (result.is_null())
    result = failure("sbx has failed in the midst of this; what it was to change may be half done")
                 .to_json();
  settle(std::move(call), std::move(result));
}

void Server::settle(std::unique_ptr<Call> call, Json result) {
  const bool unwanted = call->child && call->child->cancelled();
  // Who has the answer finds nothing of the call open any more.
  call->child.reset();
  call->work.reset();
  if (unwanted) return close(call->batch);
  const auto data = result.find("structuredContent");
  if (data != result.end() && data->contains("artifacts")) kept_.know((*data)["artifacts"]);
  reply(call->id,
        stamp(call->revision, call_result_for(call->revision, std::move(result)), setup_.version,
              false, false),
        call->batch);
}

}  // namespace sbx::mcp
