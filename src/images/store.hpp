// The unpacked images of a user: one folder each in the user's cache folder, by the file that each
// came from and what that says is in it, so that no source can speak for another. A
// folder that is being filled has a name that starts with a dot and is locked; it gets its real
// name once it is complete. Which file led to which image is a link beside them.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "images/kept_image.hpp"
#include "os/fd.hpp"

namespace sbx::images {

struct Request {
  std::string path{};  ///< absolute: a layout's folder or an archive
  std::string ref{};
  std::uint64_t max_bytes = 0;
};

/// An image that is there, and stays as long as this does.
struct Held {
  std::string root{};  ///< the folder to mount
  KeptImage image{};
  os::UniqueFd lock{};
  bool fresh = false;  ///< it has been unpacked just now
};

/// The image, if it is unpacked already; reads nothing of it.
Result<std::optional<Held>> find_unpacked(const Request& request);

/// The same, and unpacks it if it is not. Runs that want the same one wait for the one that unpacks
/// it. Removes what killed runs have left, and images that nobody has used for 30 days.
Result<std::optional<Held>> unpacked(const Request& request);

/// Removes what killed runs have left, if there is a store. What cannot be removed stays.
void remove_leftovers();

}  // namespace sbx::images
