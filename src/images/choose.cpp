#include "images/choose.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace sbx::images {
namespace {

constexpr std::size_t kMostNamed = 8;

/// A digest is never looked for among the names, which whoever made the image has chosen.
constexpr std::string_view kDigest = "sha256:";

bool has_name(const std::vector<std::string>& names, std::string_view ref) {
  if (ref.starts_with(kDigest)) return false;
  return std::ranges::any_of(names, [&](const std::string& name) { return is_called(name, ref); });
}

std::string all_names(const auto& images) {
  std::vector<std::string> names;
  for (const auto& image : images)
    for (const std::string& name : image.names) names.push_back(printable(name, 80));
  std::ranges::sort(names);
  const auto twice = std::ranges::unique(names);
  names.erase(twice.begin(), twice.end());
  return names.empty() ? "none of the images has a name"
                       : "images there: " + join_some(names, kMostNamed);
}

Error no_such(const auto& images, std::string_view ref) {
  return {
      .kind = ErrorKind::profile,
      .what = ref.empty() ? "several images, and none is called latest" : "no image " + quote(ref),
      .hint = all_names(images) + "; name one with `ref`"};
}

/// Those that `ref` means.
template <class Image, class Matches>
Result<std::vector<Image>> named(std::span<const Image> all, std::string_view ref,
                                 const Matches& matches) {
  std::vector<Image> found;
  for (const Image& image : all)
    if (matches(image, ref.empty() ? "latest" : ref)) found.push_back(image);
  if (found.empty() && ref.empty()) found.assign(all.begin(), all.end());
  if (found.empty()) return std::unexpected(no_such(all, ref));
  return found;
}

}  // namespace

bool is_called(std::string_view name, std::string_view ref) {
  if (ref.empty()) return false;
  if (name == ref) return true;
  const auto ends_after = [&](char mark) {
    return name.size() > ref.size() && name.ends_with(ref) &&
           name[name.size() - ref.size() - 1] == mark;
  };
  return ends_after('/') || (ref.find_first_of("/:") == std::string_view::npos && ends_after(':'));
}

Result<Descriptor> choose(std::span<const Descriptor> all, std::string_view ref,
                          std::string_view architecture) {
  auto found = SBX_TRY(named(all, ref, [](const Descriptor& image, std::string_view wanted) {
    return has_name(image.names, wanted) || wanted == std::string(kDigest) + image.digest;
  }));
  const std::size_t before = found.size();
  std::vector<std::string> others;
  std::erase_if(found, [&](const Descriptor& image) {
    const bool fits = (image.os.empty() || image.os == "linux") &&
                      (image.architecture.empty() || image.architecture == architecture);
    if (!fits) others.push_back(printable(image.os + "/" + image.architecture, 40));
    return !fits;
  });
  if (found.empty())
    return std::unexpected(
        Error{.kind = ErrorKind::profile,
              .what = before == 0 ? "there is no image"
                                  : "no image for linux/" + std::string(architecture),
              .hint = others.empty() ? "" : "images there: " + join_some(others, kMostNamed)});
  // One that says its architecture before one that does not.
  std::ranges::stable_partition(
      found, [](const Descriptor& image) { return !image.architecture.empty(); });
  const bool several = std::ranges::any_of(found, [&](const Descriptor& image) {
    return image.digest != found.front().digest && image.architecture == found.front().architecture;
  });
  if (several && ref.empty() && !has_name(found.front().names, "latest"))
    return std::unexpected(no_such(all, ref));
  return found.front();
}

Result<ArchiveImage> choose(std::span<const ArchiveImage> all, std::string_view ref) {
  auto found = SBX_TRY(named(all, ref, [](const ArchiveImage& image, std::string_view wanted) {
    return has_name(image.names, wanted);
  }));
  if (found.empty())
    return std::unexpected(Error{.kind = ErrorKind::profile, .what = "there is no image"});
  if (found.size() > 1 && ref.empty() && !has_name(found.front().names, "latest"))
    return std::unexpected(no_such(all, ref));
  return found.front();
}

std::string_view architecture_of(std::string_view machine) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames{
      {{"x86_64", "amd64"},
       {"aarch64", "arm64"},
       {"i686", "386"},
       {"armv7l", "arm"},
       {"loongarch64", "loong64"}}};
  for (const auto& [word, name] : kNames)
    if (word == machine) return name;
  return machine;
}

}  // namespace sbx::images
