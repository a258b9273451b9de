// What others want of a live run: other sbx processes, and the reader of its events.
#include <chrono>
#include <cstring>
#include <utility>

#include "supervise/limit_warnings.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {

Result<void> Run::await_turn() {
  if (!sinks_.await_turn) return {};
  const Nanos since = now_ns();
  auto given = sinks_.await_turn(gate_.fd());
  const Nanos waited = now_ns() - since;  // which is no time of this run
  started_ += waited;
  outcome_.started_at += std::chrono::duration_cast<std::chrono::system_clock::duration>(
      std::chrono::nanoseconds{waited});
  return given;
}

/// init tells the command's end as soon as it has heard of it; it and its namespaces then need
/// milliseconds more. When it says that it is alone, nobody has to wait for those.
void Run::look_for_end() {
  tree_ended_ = set_.revents(pidfd_index_) != 0;
  if (end_told_ || set_.revents(end_index_) == 0) return;
  end_told_ = true;  // the hang-up stays
  tree_ended_ = tree_ended_ || sandbox_->is_empty();
  if (sinks_.payload_ended && sandbox_->payload_ended()) sinks_.payload_ended();
}

void Run::open_door() {
  if (!sinks_.registered || std::exchange(has_door_, true)) return;
  const auto opened = control_.open(plan_.run_id, plan_.run_name);
  if (!opened)
    outcome_.notes.push_back(std::string("sbx ps does not list it: ") +
                             ::strerrordesc_np(opened.error().value));
}

std::optional<std::string> Run::serve(const Request& request) {
  if (tree_ended_) return refused("the run has ended");
  switch (request.action) {
    case Action::kill:
      if (request.signal == SIGKILL) {
        end_run(KilledFor::command, now_ns(), 0);
        return std::nullopt;
      }
      evidence_.command_signal = request.signal;
      send(request.signal, "killed");
      return accepted();
    case Action::pause:
      return pause();
    case Action::resume:
      return resume();
    case Action::stats:
      return accepted(to_json(describe(), plan_));
  }
  return refused("no such request");
}

std::string Run::pause() {
  if (paused_since_) return accepted();
  if (escalation_.begun() || forwarder_.next()) return refused("it is being ended");
  denials_.answer_all(now_ns(), tell_denial());
  const auto paused = sandbox_->pause();
  if (!paused)
    return refused(std::string("cannot pause: ") + ::strerrordesc_np(paused.error().value));
  paused_since_ = now_ns();
  return accepted();
}

std::string Run::resume() {
  if (!paused_since_) return accepted();
  const auto resumed = sandbox_->resume();
  if (!resumed)
    return refused(std::string("cannot resume: ") + ::strerrordesc_np(resumed.error().value));
  const Nanos now = now_ns();
  deadlines_.shift(now - *paused_since_, now);
  paused_since_.reset();
  return accepted();
}

LiveRun Run::describe() const {
  return {sandbox_->init_pid(), paused_since_.has_value(), outcome_.started_at,
          now_ns() - exec_,     read_usage(*sandbox_),     outcome_.redactor};
}

void Run::tell_usage(Nanos now) {
  if (artifacts_.sample_due(now))
    artifacts_.sample(now, now - started_, read_usage(*sandbox_), plan_);
  const auto& interval = plan_.supervision.usage_interval;
  if (!interval || !usage_due_ || now < *usage_due_) return;
  if (!events_.enabled()) return usage_due_.reset();  // their reader is gone
  events_.usage(now, to_json(read_usage(*sandbox_), plan_));
  usage_due_ = now + to_nanos(*interval);
}

void Run::tell_memory_high(Nanos now) {
  events_.warning(now, "memory_high", memory_high_text(plan_));
}

}  // namespace sbx::supervise
