// One image from its source into a folder: `rootfs`, and `image.json` beside it. What runs here
// reads hostile bytes; confined.hpp is around it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.hpp"

namespace sbx::images {

struct UnpackRequest {
  int source = -1;   ///< a layout's folder or an archive
  int staging = -1;  ///< an empty folder of our own
  std::string ref{};
  std::uint64_t max_bytes = 0;
};

inline constexpr const char* kRootName = "rootfs";
inline constexpr const char* kImageFile = "image.json";

/// `wanted` is told the image's name in the store, and says whether it is to be unpacked.
Result<void> unpack(const UnpackRequest& request,
                    const std::function<bool(const std::string&)>& wanted);

}  // namespace sbx::images
