#include "batch/job.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "batch/job_parts.hpp"
#include "batch/strict_json.hpp"

namespace sbx::batch {
namespace {

using profile::Problems;

constexpr std::array<std::string_view, 6> kKeys{"id",        "argv",  "profile",
                                                "overrides", "stdin", "files"};

void check_keys(const Json& object, Complaints& complaints) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(kKeys, key) != kKeys.end()) continue;
    const std::string_view near = nearest_name(key, kKeys);
    std::string what = "unknown key " + quote(key);
    if (!near.empty()) what += "; did you mean " + std::string(near) + "?";
    complaints.add(std::move(what),
                   "keys: " + join(kKeys, ", ") + "; those of a profile stand below `overrides`");
  }
}

void read_id(const Json& value, Job& job, Complaints& complaints) {
  if (!value.is_string()) return complaints.add("`id` must be text, not " + kind_of(value));
  job.id = value.get<std::string>();
  if (job.id.empty() || job.id.size() > kLongestId)
    complaints.add("`id` must have 1 to " + std::to_string(kLongestId) + " bytes");
}

void read_argv(const Json& value, Job& job, Complaints& complaints) {
  constexpr std::string_view kForm = R"(such as ["python3", "code.py"])";
  if (!value.is_array() || value.empty())
    return complaints.add("`argv` must be a list of the command and its arguments", kForm);
  for (const Json& word : value) {
    if (!word.is_string())
      return complaints.add("`argv` must hold text only, not " + kind_of(word), kForm);
    job.argv.push_back(word.get<std::string>());
    // No argument of a process can have one: it would end there.
    if (job.argv.back().contains('\0'))
      return complaints.add("`argv`: a null byte, which no argument can hold");
  }
  if (job.argv.front().empty()) complaints.add("`argv`: the command is empty text");
}

void read_profile(const Json& value, Job& job, Complaints& complaints) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    return complaints.add("`profile` must be a name or a path, not " + kind_of(value));
  job.profile = value.get<std::string>();
  if (job.profile.contains('\0')) complaints.add("`profile`: a null byte, which no name can hold");
}

}  // namespace

std::string Job::policy() const {
  std::string key = profile;
  for (const profile::Override& set : overrides)
    key.append(1, '\0').append(set.key).append(1, '\0').append(set.yaml);
  return key;
}

std::optional<std::string> id_of(std::string_view line, std::size_t number) {
  const auto parsed = parse_strictly(line);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  Job job;
  job.id = std::to_string(number);
  Complaints complaints("");
  if (const auto found = parsed->find("id"); found != parsed->end())
    read_id(*found, job, complaints);
  if (!complaints.take().empty()) return std::nullopt;
  return std::move(job.id);
}

std::expected<Job, Problems> read_job(std::string_view line, std::size_t number,
                                      const std::string& where) {
  Job job;
  job.id = std::to_string(number);
  Complaints complaints(where);
  auto parsed = parse_strictly(line);
  if (!parsed) {
    complaints.add(parsed.error().what, parsed.error().hint);
  } else if (!parsed->is_object()) {
    complaints.add("a job is an object, not " + kind_of(*parsed),
                   R"(the smallest job is {"argv": ["true"]})");
  } else {
    check_keys(*parsed, complaints);
    const auto read = [&](const char* key, const auto& reader) {
      if (const auto found = parsed->find(key); found != parsed->end())
        reader(*found, job, complaints);
    };
    read("id", read_id);
    read("argv", read_argv);
    read("profile", read_profile);
    read("overrides", read_overrides);
    read("stdin", read_input);
    read("files", read_files);
  }
  Problems problems = complaints.take();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return job;
}

}  // namespace sbx::batch
