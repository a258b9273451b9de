// The JSON documents of an image, read as hostile bytes: bounded in size and depth, every type
// looked at. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "images/image.hpp"

namespace sbx::images {

/// No document may be larger: what containerd takes of a manifest.
inline constexpr std::size_t kMaxDocument = std::size_t{4} << 20U;
inline constexpr std::size_t kMaxLayers = 128;

/// index.json, an image index, or a manifest list.
Result<std::vector<Descriptor>> read_index(std::string_view text);
Result<Manifest> read_manifest(std::string_view text);
Result<Config> read_config(std::string_view text);
/// manifest.json of `docker save`.
Result<std::vector<ArchiveImage>> read_archive_list(std::string_view text);

/// Does it point at an index rather than a manifest?
bool is_index(const Descriptor& descriptor);

/// The hex digits of "sha256:...": an error for anything else.
Result<std::string> digest_of(std::string_view text);

}  // namespace sbx::images
