// What the tests of profiles share: loading from texts in memory, and short words for the outcome.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "profile/load.hpp"

namespace sbx::testing {

/// Files by path below /p; built-in profiles by name.
using Files = std::map<std::string, std::string>;

inline profile::Reader reader_of(const Files& files) {
  return [files](const std::string& name,
                 const profile::SourceText* user) -> Result<profile::SourceText> {
    const std::string folder = user != nullptr ? user->folder : "";
    const auto& builtin = profile::builtin_profiles();
    if (const auto found = builtin.find(name); found != builtin.end()) {
      return profile::SourceText{"<" + name + ">", "", std::string(found->second)};
    }
    const std::string path = name.starts_with("./") ? name.substr(2) : name;
    const std::string full = folder.empty() || path.starts_with('/') ? path : folder + '/' + path;
    const auto found = files.find(full);
    if (found == files.end())
      return std::unexpected(Error{ErrorKind::profile, "no profile " + name});
    return profile::SourceText{full, full.substr(0, full.rfind('/')), found->second};
  };
}

inline std::expected<profile::Profile, profile::Problems> load_files(const Files& files,
                                                                     profile::LoadRequest request) {
  request.cwd = "/cwd";
  return profile::load(request, reader_of(files));
}

/// Loads one text as /p/x.yaml, below `version: 1`, which is its first line.
inline std::expected<profile::Profile, profile::Problems> try_load(
    const std::string& text, profile::LoadRequest request = {}) {
  request.name = "/p/x.yaml";
  return load_files({{"/p/x.yaml", "version: 1\n" + text}}, std::move(request));
}

inline std::string describe(const profile::Problems& problems) {
  std::string out;
  for (const Error& error : problems) out += error.to_string() + '\n';
  return out;
}

inline profile::Profile must_load(const std::string& text, profile::LoadRequest request = {}) {
  auto loaded = try_load(text, std::move(request));
  if (!loaded) FAIL(describe(loaded.error()));
  return *std::move(loaded);
}

/// The problems of a text that must not load, one a line (hints indented below).
inline std::string problems_of(const std::string& text, profile::LoadRequest request = {}) {
  const auto loaded = try_load(text, std::move(request));
  return loaded ? "it loaded" : describe(loaded.error());
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace sbx::testing
