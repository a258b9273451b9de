#include "supervise/timing.hpp"

#include <algorithm>

#include "plan/describe.hpp"
#include "plan/kinds.hpp"

namespace sbx::supervise {
namespace {

constexpr std::string_view kSupervisor = "supervisor";
constexpr std::string_view kInit = "init";
constexpr std::string_view kPayload = "payload";

std::string_view process_of(plan::Phase phase) {
  switch (phase) {
    case plan::Phase::host:
    case plan::Phase::clone:
    case plan::Phase::attend:
      return kSupervisor;
    case plan::Phase::init:
    case plan::Phase::guard:
      return kInit;
    case plan::Phase::payload:
      return kPayload;
  }
  return "";
}

std::optional<Nanos> reading(std::uint64_t ns) {
  return ns == 0 ? std::nullopt : std::optional(static_cast<Nanos>(ns));
}

std::optional<Nanos> duration(Nanos start, std::optional<Nanos> end) {
  return end ? std::optional(std::max<Nanos>(0, *end - start)) : std::nullopt;
}

class Rows {
 public:
  Rows(const plan::Plan& plan, const Readings& readings) : plan_(plan), readings_(readings) {
    if (!readings.steps.empty()) command_end_ = reading(readings.steps.back().end_ns);
    exec_ = readings.exec;
    // A short command may have ended before the supervisor had a processor to see it begin.
    if (exec_ && command_end_) exec_ = std::min(*exec_, *command_end_);
  }

  Timing timing() && {
    for (std::size_t i = 0; i + 1 < readings_.steps.size(); ++i) add_step(i);
    for (std::size_t i = 0; i + 1 < readings_.stages.size(); ++i)
      add_stage(readings_.stages[i].stage, readings_.stages[i].at, readings_.stages[i + 1].at);
    if (exec_) add_command(*exec_);
    timing_.total = readings_.now - readings_.started;
    std::ranges::stable_sort(timing_.rows, {}, &TimedRow::start);
    return std::move(timing_);
  }

 private:
  void add(TimedRow row) {
    row.start -= readings_.started;
    timing_.rows.push_back(std::move(row));
  }

  void add_step(std::size_t index) {
    const plan::Step& step = plan_.steps[index];
    const launch::StepSpan& span = readings_.steps[index];
    if (span.start_ns == 0) return;
    const Nanos off =
        step.phase == plan::Phase::payload ? plan_.monotonic_ahead_ms() * kMillisecond : 0;
    const Nanos start = static_cast<Nanos>(span.start_ns) - off;
    std::optional<Nanos> end = reading(span.end_ns);
    if (end) *end -= off;
    // Nobody comes back from an exec: its end is when the supervisor sees it.
    if (!end && std::holds_alternative<plan::ExecPayload>(step.action)) end = exec_;
    if (process_of(step.phase) == kSupervisor && !first_own_) first_own_ = start;
    note_birth(step, start, end);
    const std::string_view kind = plan::kind_name(step.action);
    add({.process = process_of(step.phase),
         .step = index + 1,
         .kind = kind,
         .text = plan::describe(step.action),
         .start = start,
         .took = duration(start, end),
         .error = span.error,
         .waits = kind.starts_with("await_")});
  }

  /// From the call that makes a process to its first step: a part of the kernel's, and the time
  /// until it has a processor.
  void note_birth(const plan::Step& step, Nanos start, std::optional<Nanos> end) {
    const std::string_view process = process_of(step.phase);
    if (born_ && process == born_->process) {
      const Nanos made = std::min(born_->made, start);
      add({.process = process,
           .kind = "start",
           .text = "start",
           .start = made,
           .took = start - made});
      born_.reset();
    }
    if (std::holds_alternative<plan::CloneNamespaces>(step.action))
      born_ = {kInit, end.value_or(start)};
    if (std::holds_alternative<plan::ForkPayload>(step.action))
      born_ = {kPayload, end.value_or(start)};
  }

  /// The supervisor's steps of the plan follow the stage in which a launch is prepared.
  void add_stage(Stage stage, Nanos start, Nanos end) {
    if (stage == Stage::prepare_launch && first_own_) end = std::clamp(*first_own_, start, end);
    if (stage == Stage::watch) tree_end_ = end;
    add({.process = kSupervisor,
         .kind = words(stage).kind,
         .text = std::string(words(stage).text),
         .start = start,
         .took = duration(start, end),
         .waits = words(stage).waits});
  }

  /// What follows the exec, of which the plan has no step.
  void add_command(Nanos exec) {
    timing_.exec = exec - readings_.started;
    timing_.command = duration(exec, command_end_ ? command_end_ : tree_end_);
    add({.process = kPayload,
         .kind = "command",
         .text = "the command",
         .start = exec,
         .took = timing_.command,
         .waits = true});
    if (!command_end_ || !tree_end_) return;
    add({.process = kInit,
         .kind = "end_of_tree",
         .text = "end, and with it the rest of the tree",
         .start = *command_end_,
         .took = duration(*command_end_, tree_end_)});
  }

  struct Born {
    std::string_view process;
    Nanos made;
  };

  const plan::Plan& plan_;
  const Readings& readings_;
  std::optional<Nanos> exec_{};
  std::optional<Nanos> command_end_{};
  std::optional<Nanos> tree_end_{};
  std::optional<Nanos> first_own_{};  ///< of the supervisor's steps
  std::optional<Born> born_{};        ///< a process whose first step is yet to come
  Timing timing_{};
};

}  // namespace

Timing timing_of(const plan::Plan& plan, const Readings& readings) {
  return Rows(plan, readings).timing();
}

}  // namespace sbx::supervise
