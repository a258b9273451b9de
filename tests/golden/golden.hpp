// Texts that are reviewed like code: compared with files, or written anew with SBX_UPDATE_GOLDEN=1.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace sbx::testing {

/// Where two texts part, as a person would want to see it; empty: they do not.
inline std::string first_difference(const std::string& want, const std::string& have) {
  const auto wanted = split(want, '\n');
  const auto found = split(have, '\n');
  for (std::size_t i = 0; i < std::max(wanted.size(), found.size()); ++i) {
    const std::string_view left = i < wanted.size() ? wanted[i] : "(the end)";
    const std::string_view right = i < found.size() ? found[i] : "(the end)";
    if (left != right)
      return "line " + std::to_string(i + 1) + "\n- " + std::string(left) + "\n+ " +
             std::string(right);
  }
  return "";
}

inline void compare_golden(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("SBX_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string want{std::istreambuf_iterator<char>(in), {}};
  const std::string difference = first_difference(want, text);
  CHECK_MESSAGE(difference.empty(), path.filename().string(), " differs: ", difference,
                "\nIf that is meant, run with SBX_UPDATE_GOLDEN=1 and look at the changes.");
}

}  // namespace sbx::testing
