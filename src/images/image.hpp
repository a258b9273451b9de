// An image as its documents describe it, as plain data. image-spec/config.md and manifest.md of the
// Open Container Initiative; manifest.json is what `docker save` adds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sbx::images {

/// What points at a blob: its SHA-256 (64 hex digits) and its size.
struct Descriptor {
  std::string media_type{};
  std::string digest{};
  std::uint64_t size = 0;
  std::vector<std::string> names{};  ///< what the image is called, in an index
  std::string architecture{};        ///< in an index; empty: it does not say
  std::string os{};
  bool operator==(const Descriptor&) const = default;
};

struct Manifest {
  Descriptor config;
  std::vector<Descriptor> layers;  ///< the lowest first
};

/// An image of manifest.json: names of members of the archive.
struct ArchiveImage {
  std::string config;
  std::vector<std::string> names;
  std::vector<std::string> layers;
};

struct Config {
  std::string architecture{};
  std::string os{};
  std::vector<std::string> diff_ids{};  ///< of each layer, unpacked: 64 hex digits
  std::vector<std::string> env{};       ///< NAME=value
  std::string workdir{};
  std::string user{};
  std::vector<std::string> command{};  ///< Entrypoint and Cmd
};

}  // namespace sbx::images
