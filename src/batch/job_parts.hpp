// The parts of a job's line that have a form of their own; for job.cpp. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "batch/job.hpp"

namespace sbx::batch {

using Json = nlohmann::json;

/// What is wrong with one line; all of it has the line for its place.
class Complaints {
 public:
  explicit Complaints(const std::string& where) : where_(where) {}
  void add(std::string what, std::string_view hint = {}) {
    list_.push_back(Error{ErrorKind::usage, std::move(what), where_, std::string(hint)});
  }
  profile::Problems take() { return std::move(list_); }

 private:
  const std::string& where_;
  profile::Problems list_;
};

/// "a list", "text" ...: what a value is, for messages.
std::string kind_of(const Json& value);

void read_overrides(const Json& value, Job& job, Complaints& complaints);  ///< job_overrides.cpp
void read_input(const Json& value, Job& job, Complaints& complaints);      ///< job_files.cpp
void read_files(const Json& value, Job& job, Complaints& complaints);      ///< job_files.cpp

}  // namespace sbx::batch
