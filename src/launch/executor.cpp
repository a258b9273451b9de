#include "launch/executor.hpp"

#include <cerrno>

namespace sbx::launch {
namespace {

template <class... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};

std::unexpected<Errno> not_ours() noexcept { return std::unexpected(Errno{EPROTO}); }

}  // namespace

StepResult execute(const plan::Action& action, Context& context) noexcept {
  return std::visit(
      Overloaded{
          [](const plan::ReserveHostId&) -> StepResult { return not_ours(); },
          [](const plan::DetachTree&) -> StepResult { return not_ours(); },
          [](const plan::MakeCgroup&) -> StepResult { return not_ours(); },
          [](const plan::CloneNamespaces&) -> StepResult { return not_ours(); },
          [](const plan::WriteIdMaps&) -> StepResult { return not_ours(); },
          [](const plan::HandOverCgroups&) -> StepResult { return not_ours(); },
          [](const plan::Fail& step) -> StepResult { return std::unexpected(Errno{step.error}); },
          [&](const auto& step) -> StepResult { return run(step, context); },
      },
      action);
}

}  // namespace sbx::launch
