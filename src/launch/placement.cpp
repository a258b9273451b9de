#include "launch/placement.hpp"

#include <algorithm>
#include <cstdint>

namespace sbx::launch {
namespace {

template <class Question>
std::int32_t first(const plan::Plan& plan, const Question& question) noexcept {
  return static_cast<std::int32_t>(std::ranges::find_if(plan.steps, question) - plan.steps.begin());
}

}  // namespace

void call_init_back(const Context& context, pid_t init) noexcept {
  const std::int32_t maps = first(*context.plan, [](const plan::Step& step) {
    return std::holds_alternative<plan::AwaitIdMaps>(step.action);
  });
  if (context.page->init_step.load() > maps) return;
  // It may be taking all of them in this moment, before the next line takes them away.
  context.page->called_back.store(1);
  context.processors.call_back(init);
}

void let_init_move(const Context& context) noexcept {
  if (context.page->called_back.load() != 0) context.processors.take_all();
}

void call_payload_back(const Context& context) noexcept {
  // Its first step is the longest of all where it makes the network, and well over by now.
  const std::int32_t begin = first(
      *context.plan, [](const plan::Step& step) { return step.phase == plan::Phase::payload; });
  if (context.page->payload_step.load() <= begin) context.processors.call_back(context.payload_pid);
}

}  // namespace sbx::launch
