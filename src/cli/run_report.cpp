#include "cli/run_report.hpp"

#include <nlohmann/json.hpp>

#include "artifacts/retrieve.hpp"
#include "base/text.hpp"

namespace sbx::cli {
namespace {

using Json = nlohmann::json;

template <class T>
std::optional<T> figure(const Json& json, const char* group, const char* name) {
  const auto found = json.find(group);
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const auto value = found->find(name);
  if (value == found->end() || !value->is_number()) return std::nullopt;
  return value->get<T>();
}

report::Sample sample_of(const Json& json) {
  report::Sample sample;
  sample.t_ms = json.value("t_ms", std::uint64_t{0});
  const auto user = figure<double>(json, "cpu_ms", "user");
  const auto system = figure<double>(json, "cpu_ms", "system");
  if (user && system) sample.cpu_ms = *user + *system;
  sample.memory_bytes = figure<std::uint64_t>(json, "memory", "bytes");
  sample.pids = figure<std::uint64_t>(json, "pids", "current");
  sample.read_bytes = figure<std::uint64_t>(json, "io", "read_bytes");
  sample.write_bytes = figure<std::uint64_t>(json, "io", "write_bytes");
  return sample;
}

void read_usage(const std::string& text, report::Report& page) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  page.limits = {figure<double>(json, "limits", "cpus"),
                 figure<std::uint64_t>(json, "limits", "pids"),
                 figure<std::uint64_t>(json, "limits", "wall_ms")};
  const auto samples = json.find("samples");
  if (samples == json.end() || !samples->is_array()) return;
  for (const Json& one : *samples)
    if (one.is_object()) page.samples.push_back(sample_of(one));
}

}  // namespace

Result<report::Report> report_of(artifacts::Opened& store, const artifacts::Run& run) {
  report::Report page;
  auto story = SBX_TRY(store.index().story(run.id));
  page.result = std::move(story.result);
  page.sbx_version = SBX_VERSION;
  read_usage(story.usage, page);
  for (artifacts::Kept& kept : SBX_TRY(store.index().list(run.id)))
    page.artifacts.push_back({std::move(kept.artifact.path), kept.artifact.bytes,
                              std::move(kept.artifact.media_type),
                              std::move(kept.artifact.sha256)});
  page.read = [&store](const report::Artifact& wanted) -> Result<std::string> {
    const artifacts::Artifact artifact{wanted.path, wanted.bytes, wanted.sha256, wanted.media_type};
    const os::UniqueFd file = SBX_TRY(artifacts::open_checked(store, artifact));
    std::string content;
    SBX_CHECK(artifacts::send(file.get(), artifact, [&content](std::string_view bytes) {
      content += bytes;
      return Result<void>{};
    }));
    return content;
  };
  return page;
}

}  // namespace sbx::cli
