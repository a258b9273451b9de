#include "supervise/timing_json.hpp"

#include "base/error.hpp"

namespace sbx::supervise {
namespace {

Json us(const std::optional<Nanos>& duration) {
  return duration ? Json(rounded(static_cast<double>(*duration) / 1000)) : Json(nullptr);
}

Json row_json(const TimedRow& row) {
  return object({{"process", row.process},
                 {"step", or_null(row.step)},
                 {"kind", row.kind},
                 {"text", row.text},
                 {"start_us", us(row.start)},
                 {"took_us", us(row.took)},
                 {"error", row.error == 0 ? Json(nullptr) : Json(errno_name(row.error))}});
}

}  // namespace

Json timing_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  Json steps = Json::array();
  for (const TimedRow& row : timing->rows) steps.push_back(row_json(row));
  return object({{"exec_us", us(timing->exec)},
                 {"total_us", us(timing->total)},
                 {"steps", std::move(steps)}});
}

}  // namespace sbx::supervise
