// What is kept beside an unpacked image: its defaults, and what was found out on the way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/image_facts.hpp"

namespace sbx::images {

struct KeptImage {
  ImageFacts facts;
  std::string config_digest{};
  std::uint64_t bytes = 0;
  std::uint64_t left_out = 0;  ///< devices, sockets, FIFOs
};

std::string to_text(const KeptImage& image);
/// Written by us, but by a process that read hostile bytes: looked at as such.
Result<KeptImage> from_text(std::string_view text);

}  // namespace sbx::images
