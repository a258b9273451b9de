#include "mcp/server.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "base/text.hpp"
#include "mcp/change_tools.hpp"

namespace sbx::mcp {
namespace {

using supervise::Nanos;

constexpr std::size_t kMostAtOnce = 16;
constexpr Nanos kFlush = 2 * supervise::kSecond;  // for a client that is gone, or slow

int until(const std::optional<Nanos>& when) {
  if (!when) return -1;
  const Nanos left = std::max<Nanos>(0, *when - supervise::now_ns());
  return static_cast<int>(left / supervise::kMillisecond + 1);
}

}  // namespace

Server::Server(Setup setup)
    : setup_(std::move(setup)),
      kept_(setup_.profile.artifacts, setup_.profile.name, setup_.redactor),
      bounds_(bounds_text(setup_.profile.limits)),
      has_workspace_(!setup_.workspace.lacks_copy()) {
  offer_.writes = setup_.workspace.writable();
  offer_.has_session = setup_.workspace.is_own();
  offer_.applies = setup_.workspace.applies();
  offer_.open_world = setup_.profile.network.mode != profile::NetworkMode::none;
}

Result<std::unique_ptr<RunChild>> Server::start(Order order, bool events) {
  RunChild::Wish wish;
  std::vector<std::string> flags = order.flags;
  // What the operator gives them to read stays theirs.
  if (!order.input && setup_.profile.stdio.input == "inherit") flags.emplace_back("--stdin=null");
  if (events) flags.emplace_back("--events=fd:3");
  wish.words = SBX_TRY(setup_.words(flags));
  wish.words.emplace_back("--");
  wish.words.insert(wish.words.end(), order.command.begin(), order.command.end());
  wish.env = setup_.env;
  wish.input = std::move(order.input);
  wish.events = events;
  return std::make_unique<RunChild>(SBX_TRY(RunChild::start(std::move(wish))));
}

Result<void> Server::serve() {
  try {
    auto talked = talk();
    end_all();
    return talked;
  } catch (const std::exception& failure) {
    calls_.clear();  // which ends the runs
    return std::unexpected(Error{.kind = ErrorKind::internal,
                                 .what = std::string("the session has ended: ") + failure.what()});
  }
}

Result<void> Server::talk() {
  while (!client_.gone()) {
    round(true);
    if (setup_.gate.take() != 0) return {};
    SBX_CHECK(finish_copying());
    // A short request may have a long answer: what nobody reads yet is not made.
    while (!client_.congested()) {
      const auto line = client_.next();
      if (!line) break;
      hear(*line);
    }
    finish_work();
    if (!has_workspace_) continue;
    start_waiting();
    begin_work(true);
  }
  return {};
}

void Server::round(bool talks) {
  set_.clear();
  set_.add(setup_.gate.fd(), POLLIN);
  if (copying_) copying_->watch(set_);
  std::optional<Nanos> wake;
  for (const auto& call : calls_) {
    if (call->work) call->work->watch(set_);
    if (!call->child || call->child->ended()) continue;
    call->child->watch(set_, !client_.congested() || call->child->cancelled());
    if (const auto next = call->child->next()) wake = wake ? std::min(*wake, *next) : *next;
  }
  if (talks) client_.watch(set_);
  if (::poll(set_.data(), set_.size(), until(wake)) < 0) return;  // EINTR: the next look is soon
  if (copying_) copying_->step(set_);
  const Nanos now = supervise::now_ns();
  for (const auto& call : calls_) {
    if (call->work) call->work->step(set_);
    if (!call->child || call->child->ended()) continue;
    call->child->insist(now);
    call->child->step(set_, [this, &call](std::string_view text) { tell_progress(*call, text); });
  }
  if (talks) client_.step(set_);
}

void Server::tell_progress(Call& call, std::string_view text) {
  if (call.token.is_null() || call.child->cancelled()) return;
  call.progress += text.size();
  Json params{{"progressToken", call.token}, {"progress", call.progress}};
  if (call.revision >= Revision::r2025_03_26) params["message"] = text;
  client_.send(notification("notifications/progress", std::move(params)));
}

void Server::start_waiting() {
  std::size_t live = static_cast<std::size_t>(
      std::ranges::count_if(calls_, [](const auto& call) { return call->child != nullptr; }));
  for (auto at = calls_.begin(); at != calls_.end() && live < kMostAtOnce;) {
    Call& call = **at;
    if (call.lasts && (call.task || call.work)) return;  // it was asked for before the rest
    if (call.child || call.task || call.work) {
      ++at;
      continue;
    }
    call.began = supervise::now_ns();
    auto child = start(std::exchange(call.order, {}), !call.token.is_null());
    if (child) {
      call.child = std::move(*child);
      ++live;
      ++at;
      continue;
    }
    const auto ended = std::move(*at);
    at = calls_.erase(at);
    reply(ended->id,
          stamp(ended->revision, call_result_for(ended->revision, failure(child.error()).to_json()),
                setup_.version, false, false),
          ended->batch);
  }
}

void Server::forget(const RunChild& child) {
  const std::string run = child.kept();
  if (!run.empty()) Workspace::forget(run);
}

void Server::end_all() {
  stop_copying();
  std::erase_if(calls_, [](const auto& call) { return !call->child && !call->work; });
  for (const auto& call : calls_) {
    if (call->work && !call->lasts) call->work->kill();
    if (call->child && !call->child->ended()) call->child->cancel(supervise::now_ns());
  }
  const Nanos last = supervise::now_ns() + kFlush;
  while (!calls_.empty()) {
    begin_work(false);
    round(false);
    while (setup_.gate.take() != 0) {
    }
    finish_work();
  }
  // What was answered before may still be wanted: a client that closes its end, and reads ours.
  while (client_.waiting() && supervise::now_ns() < last) {
    set_.clear();
    client_.watch(set_);
    (void)::poll(set_.data(), set_.size(), until(last));
    client_.step(set_);
  }
}

}  // namespace sbx::mcp
