// Where an image's documents and layers are: an OCI layout's folder, the same in a tar archive, or
// what `docker save` and `podman save` write.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "images/archive.hpp"
#include "images/choose.hpp"
#include "images/documents.hpp"
#include "os/fd.hpp"

namespace sbx::images {

class Source {
 public:
  /// `fd`: the folder or the archive. What an archive that is compressed holds goes to a nameless
  /// file in `scratch`, within `budget`.
  static Result<Source> open(int fd, int scratch, const Budget& budget);

  struct Blob {
    os::UniqueFd file{};  ///< of a folder's; else the archive is what `window` says
    Window window{};
  };
  /// "index.json", "blobs/sha256/..." ENOENT in the error: it is not there.
  Result<Blob> find(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  /// All of it, as text.
  Result<std::string> document(const std::string& name) const;

 private:
  struct Place {
    std::uint64_t position = 0;
    std::uint64_t size = 0;
    std::string target{};  ///< a symbolic link's
  };

  os::UniqueFd unpacked_{};
  int fd_ = -1;
  bool folder_ = false;
  std::unordered_map<std::string, Place> members_{};
};

/// What of a source makes the image that is wanted, documents checked by their digests.
struct Found {
  Config config;
  std::string config_digest;
  std::vector<std::string> layers;   ///< where they are in the source, the lowest first
  std::vector<std::string> digests;  ///< of each as it is stored; empty where nothing says
};
/// Of kind profile: `source` is no image, or has none of that name or architecture; of kind host:
/// it is damaged, or more than is read.
Result<Found> find_image(const Source& source, const std::string& ref,
                         std::string_view architecture);

}  // namespace sbx::images
