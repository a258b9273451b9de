#include "supervise/artifact_keeper.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "artifacts/collect.hpp"
#include "base/text.hpp"
#include "supervise/json_figures.hpp"
#include "supervise/live_json.hpp"
#include "supervise/redaction.hpp"

namespace sbx::supervise {
namespace {

constexpr std::size_t kMostSamples = 600;

/// What the store is to have nothing of: the run's secrets, in files, texts and names.
artifacts::Wish wish_of(const plan::KeepArtifacts& wanted, const plan::Plan& plan,
                        const std::function<bool()>& ended, Outcome& outcome) {
  artifacts::Wish wish{wanted.collect, wanted.max, wanted.max_files};
  wish.ended = ended;
  for (const plan::PlannedSecret& secret : plan.secrets)
    if (!secret.place.empty()) wish.never.push_back(secret.place);
  for (const plan::Step& step : plan.steps)
    if (const auto* const written = std::get_if<plan::WriteSecret>(&step.action))
      wish.never.push_back(written->path);
  const Redactor& redactor = outcome.redactor;
  if (redactor == nullptr) return wish;
  wish.tells = [&redactor](const std::string& path) { return redacted(redactor, path) == path; };
  wish.filter = [&outcome] {
    return [&outcome,
            stream = std::make_shared<redact::Stream>(outcome.redactor, redact::Reader::later)](
               std::string_view piece, bool last, std::string& out) {
      if (!last) return stream->feed(piece, out);
      stream->finish(out);
      for (const auto& [name, count] : stream->counts()) outcome.redactions[name] += count;
    };
  };
  return wish;
}

artifacts::Run run_of(const plan::KeepArtifacts& wanted, const plan::Plan& plan,
                      const Outcome& outcome) {
  artifacts::Run run;
  run.id = plan.run_id;
  run.profile = plan.profile_name;
  run.argv = redacted(outcome.redactor, plan.argv);
  run.status = to_string(outcome.status);
  run.ended_at =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  if (wanted.ttl) run.expires_at = run.ended_at + *wanted.ttl;
  return run;
}

/// What a report says beside the samples: the result does not tell these limits.
std::string usage_json(const plan::Plan& plan, const std::vector<std::string>& samples) {
  const profile::Limits& limits = plan.limits;
  const Json known = object({{"cpus", or_null(limits.cpus)},
                             {"pids", or_null(enforced(plan, limits.pids))},
                             {"wall_ms", limits.wall ? Json(limits.wall->count()) : Json()}});
  return "{\"limits\":" + known.dump() + ",\"samples\":[" + join(samples, ",") + "]}";
}

}  // namespace

Result<void> ArtifactKeeper::prepare(const plan::Plan& plan) {
  if (!plan.artifacts) return {};
  staging_.emplace(SBX_TRY(artifacts::Staging::make(plan.run_id)));
  return {};
}

void ArtifactKeeper::begin_samples(Nanos now) {
  if (staging_) sample_due_ = now;
}

void ArtifactKeeper::sample(Nanos now, Nanos age, const Usage& usage, const plan::Plan& plan) {
  sample_due_ = now + sample_pause_;
  put_sample(age, usage, plan);
  if (samples_.size() < kMostSamples) return;
  // Every other one goes, and the next come half as often: the memory stays the same.
  std::vector<std::string> half;
  for (std::size_t i = 0; i < samples_.size(); i += 2) half.push_back(std::move(samples_[i]));
  samples_ = std::move(half);
  sample_pause_ *= 2;
}

void ArtifactKeeper::put_sample(Nanos age, const Usage& usage, const plan::Plan& plan) {
  samples_.push_back("{\"t_ms\":" + std::to_string(age / kMillisecond) + "," +
                     to_json(usage, plan).substr(1));
}

void ArtifactKeeper::finish(Nanos age, const plan::Plan& plan, const std::function<bool()>& ended,
                            Outcome& outcome) {
  if (!staging_) return;
  if (root_.valid()) {
    put_sample(age, outcome.usage, plan);
    try {
      if (const auto done = finish_with(*staging_, plan, ended, outcome); !done) {
        outcome.artifacts.clear();
        outcome.undelivered.push_back("the artifacts could not be kept: " + done.error().to_line());
      }
    } catch (const std::exception& failure) {
      // How the command ended is to be told all the same.
      outcome.artifacts.clear();
      outcome.undelivered.push_back(std::string("the artifacts could not be kept: ") +
                                    failure.what());
    }
  }
  staging_.reset();
  root_.reset();
}

Result<void> ArtifactKeeper::finish_with(artifacts::Staging& staging, const plan::Plan& plan,
                                         const std::function<bool()>& ended, Outcome& outcome) {
  if (!plan.artifacts) return {};
  const plan::KeepArtifacts& wanted = *plan.artifacts;
  auto collected = SBX_TRY(
      artifacts::collect(root_.get(), ids_, wish_of(wanted, plan, ended, outcome), staging));
  outcome.artifacts = std::move(collected.artifacts);
  for (std::string& warning : collected.warnings) outcome.warnings.push_back(std::move(warning));
  if (outcome.artifacts.empty()) return {};
  redact_words(outcome);
  const artifacts::Story story{to_json(outcome, plan), usage_json(plan, samples_)};
  return staging.commit(run_of(wanted, plan, outcome), story, outcome.artifacts);
}

}  // namespace sbx::supervise
