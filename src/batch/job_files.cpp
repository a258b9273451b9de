// `stdin` and `files`: bytes that come with the job, as text, or in base64 when they are none.
#include <algorithm>
#include <array>
#include <optional>

#include "base/base64.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "batch/job_parts.hpp"

namespace sbx::batch {
namespace {

constexpr std::string_view kInputForm = R"("text", or {"base64": ...}, or {"file": "input.txt"})";
constexpr std::string_view kFileForm = R"("text", or {"base64": ...}, each with a "perm": "0755")";
constexpr std::size_t kLongestPath = 4000;
constexpr std::size_t kLongestName = 255;  // NAME_MAX
constexpr unsigned kMostPerm = 0777;

std::string named(std::string_view path) { return "`files`: " + quote(path); }

/// The bytes under `text` or `base64`; nothing, and a complaint, when they are not there so.
std::optional<std::string> read_bytes(const Json& value, const std::string& what,
                                      std::string_view form, Complaints& complaints) {
  const bool text = value.contains("text");
  if (text == value.contains("base64")) {
    complaints.add(what + " has neither or both of text and base64", form);
    return std::nullopt;
  }
  const Json& bytes = value[text ? "text" : "base64"];
  if (!bytes.is_string()) {
    complaints.add(what + ": its content must be text, not " + kind_of(bytes), form);
    return std::nullopt;
  }
  if (text) return bytes.get<std::string>();
  auto decoded = from_base64(bytes.get_ref<const std::string&>());
  if (!decoded)
    complaints.add(what + ": this is no base64", "the alphabet with + and /, and = at the end");
  return decoded;
}

/// False, and a complaint, for a key that `value` must not have.
bool knows_keys(const Json& value, std::span<const std::string_view> known, const std::string& what,
                Complaints& complaints) {
  for (const auto& [key, child] : value.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string_view near = nearest_name(key, known);
    complaints.add(what + ": unknown key " + quote(key) +
                       (near.empty() ? "" : "; did you mean " + std::string(near) + "?"),
                   "keys: " + join(known, ", "));
    return false;
  }
  return true;
}

std::string path_problem(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.size() > kLongestPath) return "is too long";
  if (path.contains('\0')) return "holds a null byte, which no name can";
  if (path.starts_with('/')) return "must be relative: it is a place in the workspace";
  for (const std::string_view part : split(path, '/'))
    if (part.empty() || part == "." || part == "..")
      return "must be plain: no `.`, no `..`, no empty name in it";
    else if (part.size() > kLongestName)
      return "has a name of more than 255 bytes in it";
  return {};
}

/// One that is a folder on the way to another.
void check_folders(const std::vector<JobFile>& files, Complaints& complaints) {
  std::vector<std::string_view> paths;
  paths.reserve(files.size());
  for (const JobFile& file : files) paths.push_back(file.path);
  std::ranges::sort(paths);
  for (const std::string_view path : paths)
    for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1))
      if (std::ranges::binary_search(paths, path.substr(0, at)))
        return complaints.add(named(path.substr(0, at)) + " is a file and the folder of another");
}

void read_perm(const Json& value, const std::string& what, JobFile& file, Complaints& complaints) {
  const auto perm = value.is_string()
                        ? parse_number<unsigned>(value.get_ref<const std::string&>(), 8)
                        : std::nullopt;
  if (perm && *perm <= kMostPerm)
    file.perm = *perm;
  else
    complaints.add(what + ": `perm` must be octal text such as \"0755\"");
}

void read_file(const std::string& path, const Json& value, Job& job, Complaints& complaints) {
  constexpr std::array<std::string_view, 3> kKeys{"text", "base64", "perm"};
  const std::string what = named(path);
  if (const std::string problem = path_problem(path); !problem.empty())
    return complaints.add(what + " " + problem);
  JobFile file{path, {}};
  if (value.is_string()) {
    file.content = value.get<std::string>();
  } else if (value.is_object()) {
    if (!knows_keys(value, kKeys, what, complaints)) return;
    auto bytes = read_bytes(value, what, kFileForm, complaints);
    if (!bytes) return;
    file.content = *std::move(bytes);
    if (value.contains("perm")) read_perm(value["perm"], what, file, complaints);
  } else {
    return complaints.add(what + " must be its content, not " + kind_of(value), kFileForm);
  }
  job.files.push_back(std::move(file));
}

}  // namespace

void read_input(const Json& value, Job& job, Complaints& complaints) {
  constexpr std::array<std::string_view, 3> kKeys{"text", "base64", "file"};
  if (value.is_string()) {
    job.input = {JobInput::Kind::bytes, value.get<std::string>()};
  } else if (!value.is_object()) {
    complaints.add("`stdin` must be text or an object, not " + kind_of(value), kInputForm);
  } else if (!knows_keys(value, kKeys, "`stdin`", complaints)) {
    return;
  } else if (!value.contains("file")) {
    if (auto bytes = read_bytes(value, "`stdin`", kInputForm, complaints))
      job.input = {JobInput::Kind::bytes, *std::move(bytes)};
  } else if (value.size() != 1 || !value["file"].is_string() ||
             value["file"].get_ref<const std::string&>().empty() ||
             value["file"].get_ref<const std::string&>().contains('\0')) {
    complaints.add("`stdin`: `file` must be the path of a file, and alone", kInputForm);
  } else {
    job.input = {JobInput::Kind::file, value["file"].get<std::string>()};
  }
}

void read_files(const Json& value, Job& job, Complaints& complaints) {
  if (!value.is_object())
    return complaints.add("`files` must be an object of paths and contents, not " + kind_of(value),
                          R"(such as {"code.py": "print(42)\n"})");
  if (value.size() > kMostFiles)
    return complaints.add("`files` has more than " + std::to_string(kMostFiles) + " entries",
                          "a folder of the host that all jobs see is a mount of the profile");
  for (const auto& [path, content] : value.items()) read_file(path, content, job, complaints);
  check_folders(job.files, complaints);
}

}  // namespace sbx::batch
