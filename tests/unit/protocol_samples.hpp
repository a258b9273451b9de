// What real programs send first: their ClientHellos.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sbx::protocol::samples {

std::vector<std::uint8_t> of_hex(std::string_view hex);

struct Hello {
  std::string from;
  std::vector<std::uint8_t> bytes;
  bool named;  ///< for packages.example.org
};
const std::vector<Hello>& hellos();

}  // namespace sbx::protocol::samples
