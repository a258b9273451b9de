// The part that a run's network has in it: see network_keeper.hpp.
#include "supervise/redaction.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {

Result<void> Run::start_network() {
  denials_.on_connect([this](int, std::uint16_t port) { network_.port_wanted(port); });
  auto sockets = sandbox_->take_gateway();
  if (!sockets) return {};
  return network_.start(*std::move(sockets), plan_,
                        [this](const egress::Connections& seen) { tell_connection(seen); });
}

void Run::tell_connection(const egress::Connections& seen) {
  if (!events_.enabled()) return;
  egress::Connections clean = seen;
  clean.host = redacted(outcome_.redactor, seen.host);
  clean.reason = redacted(outcome_.redactor, seen.reason);
  events_.connection(now_ns(), to_json(clean));
  if (seen.verdict != egress::Verdict::denied) return;
  Denial denial = denial_of(seen);
  redact_denial(outcome_.redactor, denial);
  events_.denial(now_ns(), denial);
}

void Run::finish_network() {
  // Who was ended has no say in what becomes of its last words.
  if (evidence_.killed_for == KilledFor::nothing)
    network_.deliver([this] { return asked_to_end(); }, gate_.fd());
  network_.finish(outcome_);
}

}  // namespace sbx::supervise
