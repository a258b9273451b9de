// From what an image's source has to the one image that is wanted. What a document says of another
// by its digest is compared with it before it is read.
#include <algorithm>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "images/source.hpp"

namespace sbx::images {
namespace {

constexpr int kMaxIndexes = 4;

std::string blob_name(const std::string& digest) { return "blobs/sha256/" + digest; }

Error differs(std::string_view what, const std::string& digest) {
  return {
      .kind = ErrorKind::host,
      .what = std::string(what) + " of the image is not what its digest sha256:" + digest + " says",
      .hint = "the image is damaged, or somebody has changed it: get it again"};
}

Result<std::string> document(const Source& source, const Descriptor& wanted,
                             std::string_view what) {
  std::string text = SBX_TRY(source.document(blob_name(wanted.digest)));
  if (text.size() != wanted.size || sha256_hex(text) != wanted.digest)
    return std::unexpected(differs(what, wanted.digest));
  return text;
}

Result<void> check_config(const Found& found, std::string_view architecture) {
  const Config& config = found.config;
  if ((!config.architecture.empty() && config.architecture != architecture) ||
      (!config.os.empty() && config.os != "linux"))
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "the image is made for " +
                                         printable(config.os + "/" + config.architecture, 60) +
                                         ", and this machine is linux/" + std::string(architecture),
                                 .hint = "get the image for this machine"});
  if (config.diff_ids.size() != found.layers.size())
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "the image has " + std::to_string(found.layers.size()) +
                                         " layers, and its configuration says " +
                                         std::to_string(config.diff_ids.size())});
  return {};
}

Result<void> check_layer(const Descriptor& layer) {
  const std::string& type = layer.media_type;
  if (type.empty() || type.ends_with("tar") || type.ends_with("tar+gzip") ||
      type.ends_with("tar.gzip") || type.ends_with("tar+zstd"))
    return {};
  return std::unexpected(Error{
      .kind = ErrorKind::host,
      .what = "the image has a layer of the type " + quote(type) + ", which sbx does not know",
      .hint = "tar archives, plain or compressed by gzip or zstd, are known"});
}

Result<Found> find_in_layout(const Source& source, const std::string& ref,
                             std::string_view architecture) {
  const std::string index = SBX_TRY(source.document("index.json"));
  auto all = SBX_TRY(read_index(index));
  Descriptor chosen = SBX_TRY(choose(all, ref, architecture));
  for (int depth = 0; is_index(chosen); ++depth) {
    if (depth == kMaxIndexes)
      return std::unexpected(Error{.kind = ErrorKind::host,
                                   .what = "the image has indexes in indexes without an end"});
    const std::string inner = SBX_TRY(document(source, chosen, "an index"));
    all = SBX_TRY(read_index(inner));
    // Below a name all are that one, for different machines. What signs it says that it is for
    // none.
    for (Descriptor& one : all) one.names = {"latest"};
    chosen = SBX_TRY(choose(all, "", architecture));
  }
  const std::string manifest_text = SBX_TRY(document(source, chosen, "the manifest"));
  const Manifest manifest = SBX_TRY(read_manifest(manifest_text));
  Found found;
  found.config_digest = manifest.config.digest;
  const std::string config_text = SBX_TRY(document(source, manifest.config, "the configuration"));
  found.config = SBX_TRY(read_config(config_text));
  for (const Descriptor& layer : manifest.layers) {
    SBX_CHECK(check_layer(layer));
    found.layers.push_back(blob_name(layer.digest));
    found.digests.push_back(layer.digest);
    const auto blob = SBX_TRY(source.find(found.layers.back()));
    if (blob.window.size != layer.size) return std::unexpected(differs("a layer", layer.digest));
  }
  return found;
}

/// The digest that a name of `docker save` has in it: "HEX.json", "blobs/sha256/HEX".
std::string digest_in_name(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  const auto digest = digest_of("sha256:" + std::string(name.substr(0, name.find('.'))));
  return digest ? *digest : "";
}

Result<Found> find_in_archive(const Source& source, const std::string& ref) {
  const std::string list = SBX_TRY(source.document("manifest.json"));
  const auto all = SBX_TRY(read_archive_list(list));
  const ArchiveImage image = SBX_TRY(choose(all, ref));
  const std::string text = SBX_TRY(source.document(image.config));
  Found found;
  found.config_digest = sha256_hex(text);
  const std::string said = digest_in_name(image.config);
  if (!said.empty() && said != found.config_digest)
    return std::unexpected(differs("the configuration", said));
  found.config = SBX_TRY(read_config(text));
  found.layers = image.layers;
  // The layers' names say nothing that can be relied on; the configuration's digests do.
  found.digests.resize(found.layers.size());
  return found;
}

}  // namespace

Result<Found> find_image(const Source& source, const std::string& ref,
                         std::string_view architecture) {
  const bool layout = source.has("index.json");
  if (!layout && !source.has("manifest.json"))
    return std::unexpected(Error{
        .kind = ErrorKind::profile,
        .what = "no image: it has neither index.json nor manifest.json",
        .hint = "an OCI layout, or an archive of `docker save` or `podman save`, is one; what "
                "`docker export` writes is unpacked to a folder, and --root names that"});
  Found found =
      SBX_TRY(layout ? find_in_layout(source, ref, architecture) : find_in_archive(source, ref));
  SBX_CHECK(check_config(found, architecture));
  return found;
}

}  // namespace sbx::images
