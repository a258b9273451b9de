// Writes the page of a run that a JSON file describes: report_sample SAMPLE.json > page.html. What
// a test wants to have on the page it writes down; bytes that JSON cannot have stand as base64.
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "report/report.hpp"

namespace {

using Json = nlohmann::ordered_json;
using sbx::report::Artifact;
using sbx::report::Report;
using sbx::report::Sample;

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

std::string bytes_at(const Json& json, const char* key) {
  const auto bytes = sbx::from_base64(json.value(key, std::string()));
  if (!bytes) throw std::runtime_error("not base64: " + std::string(key));
  return *bytes;
}

Sample sample_of(const Json& json) {
  return {.t_ms = json.at("t_ms").get<std::uint64_t>(),
          .cpu_ms = optional_at<double>(json, "cpu_ms"),
          .memory_bytes = optional_at<std::uint64_t>(json, "memory_bytes"),
          .pids = optional_at<std::uint64_t>(json, "pids"),
          .read_bytes = optional_at<std::uint64_t>(json, "read_bytes"),
          .write_bytes = optional_at<std::uint64_t>(json, "write_bytes")};
}

Report report_of(const Json& json) {
  Report out{.result = json.at("result").dump(),
             .sbx_version = json.value("sbx_version", "0.1.0"),
             .limits = {.cpus = optional_at<double>(json, "cpus"),
                        .pids = optional_at<std::uint64_t>(json, "pids"),
                        .wall_ms = optional_at<std::uint64_t>(json, "wall_ms")}};
  for (const Json& sample : json.value("samples", Json::array()))
    out.samples.push_back(sample_of(sample));
  if (json.contains("out_base64")) out.out = bytes_at(json, "out_base64");
  if (json.contains("err_base64")) out.err = bytes_at(json, "err_base64");
  auto contents = std::make_shared<std::map<std::string, std::string>>();
  for (const Json& artifact : json.value("artifacts", Json::array())) {
    const std::string path = artifact.contains("path") ? artifact["path"].get<std::string>()
                                                       : bytes_at(artifact, "path_base64");
    (*contents)[path] = bytes_at(artifact, "base64");
    out.artifacts.push_back({path, artifact.value("bytes", std::uint64_t{(*contents)[path].size()}),
                             artifact.value("media_type", ""), artifact.value("sha256", "")});
  }
  out.read = [contents](const Artifact& artifact) -> sbx::Result<std::string> {
    return contents->at(artifact.path);
  };
  return out;
}

int write_page(const char* path) {
  std::ifstream file(path);
  const Json json = Json::parse(file);
  const auto written =
      sbx::report::render(report_of(json), [](std::string_view piece) -> sbx::Result<void> {
        std::cout << piece;
        return {};
      });
  if (!written) std::cerr << written.error().to_string() << "\n";
  return written && std::cout.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: report_sample SAMPLE.json > page.html\n";
    return 2;
  }
  try {
    return write_page(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
