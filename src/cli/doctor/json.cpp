// The examination for programs, schema sbx.doctor/1. Every key stands in schema.cpp.
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_line.hpp"
#include "cli/doctor/examination.hpp"

namespace sbx::cli::doctor {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

const char* name_of(Need need) {
  switch (need) {
    case Need::start:
      return "always";
    case Need::root:
      return "root";
    case Need::extra:
      return "sometimes";
  }
  return "";
}

const char* name_of(Availability availability) {
  switch (availability) {
    case Availability::works:
      return "works";
    case Availability::refused:
      return "refused";
    case Availability::untried:
      return "untried";
  }
  return "";
}

Json error_of(const TriedFeature& tried) {
  if (tried.availability != Availability::refused) return nullptr;
  return tried.error == 0 ? "killed" : errno_name(tried.error);
}

Json feature_json(const Finding& finding) {
  const TriedFeature& tried = finding.tried;
  const FeatureInfo& info = info_of(tried.feature);
  return {{"name", info.name},
          {"use", info.use},
          {"needed", name_of(info.need)},
          {"verdict", name_of(tried.availability)},
          {"abi", tried.level > 0 ? Json(tried.level) : Json(nullptr)},
          {"error", error_of(tried)},
          {"cause", or_null(finding.cause.why)},
          {"fix", or_null(finding.cause.fix)}};
}

Json refused_calls(const Surroundings& around) {
  Json calls = Json::array();
  for (const RefusedCall& call : around.refused)
    calls.push_back(
        {{"name", call.name}, {"error", call.error == 0 ? "killed" : errno_name(call.error)}});
  return calls;
}

Json with_less(const Examination& found) {
  if (!found.with_less) return nullptr;
  const DefaultStart& start = *found.with_less;
  return {{"degrade", start.allowed},
          {"tier", start.tier},
          {"degraded", start.degraded},
          {"setup_ms", start.setup_ms}};
}

}  // namespace

std::string to_json(const Examination& found) {
  const Surroundings& around = found.around;
  Json features = Json::array();
  for (const Finding& finding : found.findings) features.push_back(feature_json(finding));
  const DefaultStart& start = found.start;
  const Json all{{"schema", "sbx.doctor/1"},
                 {"tier", start.tier},
                 {"kernel", around.kernel},
                 {"uid", around.euid},
                 {"container", or_null(around.container)},
                 {"features", features},
                 {"refused_calls", refused_calls(around)},
                 {"cgroup", to_json(found.limits)},
                 {"default",
                  {{"starts", start.starts},
                   {"tier", start.tier},
                   {"degraded", start.degraded},
                   {"setup_ms", start.starts ? Json(start.setup_ms) : Json(nullptr)},
                   {"error", or_null(start.error)}}},
                 {"with_less", with_less(found)}};
  return json_line(all) + "\n";
}

}  // namespace sbx::cli::doctor
