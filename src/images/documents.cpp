#include "images/documents.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace sbx::images {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxItems = 4096;

Error damaged(std::string_view document, std::string_view why) {
  return {.kind = ErrorKind::host,
          .what = "the image's " + std::string(document) + " cannot be read: " + printable(why)};
}

[[noreturn]] void refuse(const char* why) { throw Json::other_error::create(501, why, nullptr); }

/// By the text alone, so that no parser ever sees a deep one.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

std::string text_of(const Json& json) {
  auto text = json.get<std::string>();
  if (text.contains('\0')) refuse("a text holds a null byte");
  return text;
}

/// A member that may be missing or null.
const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) refuse("what should be an object is none");
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string text_in(const Json& json, const char* name) {
  const Json* const found = member(json, name);
  return found == nullptr ? "" : text_of(*found);
}

std::vector<std::string> texts_in(const Json& json, const char* name) {
  std::vector<std::string> texts;
  const Json* const found = member(json, name);
  if (found == nullptr) return texts;
  if (!found->is_array() || found->size() > kMaxItems) refuse("a list of texts is none");
  for (const Json& text : *found) texts.push_back(text_of(text));
  return texts;
}

std::string digest_in(const Json& json) {
  auto digest = digest_of(text_of(json));
  if (!digest) refuse(digest.error().what.c_str());
  return *std::move(digest);
}

Descriptor descriptor_of(const Json& json) {
  Descriptor found;
  found.media_type = text_in(json, "mediaType");
  found.digest = digest_in(json.at("digest"));
  if (!json.at("size").is_number_unsigned()) refuse("a size is no number");
  found.size = json.at("size").get<std::uint64_t>();
  if (const Json* platform = member(json, "platform")) {
    found.architecture = text_in(*platform, "architecture");
    found.os = text_in(*platform, "os");
  }
  if (const Json* annotations = member(json, "annotations")) {
    for (const char* key : {"io.containerd.image.name", "org.opencontainers.image.ref.name"})
      if (std::string name = text_in(*annotations, key); !name.empty())
        found.names.push_back(std::move(name));
  }
  return found;
}

std::vector<Descriptor> descriptors_of(const Json& json) {
  if (!json.is_array() || json.size() > kMaxItems) refuse("a list of descriptors is none");
  std::vector<Descriptor> all;
  for (const Json& one : json) all.push_back(descriptor_of(one));
  return all;
}

/// What is wrong in `document` as a value, whoever finds it; nothing is thrown beyond here.
template <class Take>
auto reading(std::string_view document, std::string_view text, const Take& take)
    -> Result<decltype(take(std::declval<const Json&>()))> {
  if (text.size() > kMaxDocument) return std::unexpected(damaged(document, "it is too large"));
  if (is_too_deep(text)) return std::unexpected(damaged(document, "it is nested too deep"));
  try {
    return take(Json::parse(text));
  } catch (const Json::exception& wrong) {
    return std::unexpected(damaged(document, wrong.what()));
  }
}

Manifest manifest_of(const Json& json) {
  Manifest manifest{descriptor_of(json.at("config")), descriptors_of(json.at("layers"))};
  if (manifest.layers.size() > kMaxLayers) refuse("it has too many layers");
  return manifest;
}

Config config_of(const Json& json) {
  Config config;
  config.architecture = text_in(json, "architecture");
  config.os = text_in(json, "os");
  const Json& ids = json.at("rootfs").at("diff_ids");
  if (!ids.is_array() || ids.size() > kMaxLayers) refuse("it has too many layers");
  for (const Json& id : ids) config.diff_ids.push_back(digest_in(id));
  const Json* const run = member(json, "config");
  if (run == nullptr) return config;
  config.env = texts_in(*run, "Env");
  config.workdir = text_in(*run, "WorkingDir");
  config.user = text_in(*run, "User");
  config.command = texts_in(*run, "Entrypoint");
  std::ranges::move(texts_in(*run, "Cmd"), std::back_inserter(config.command));
  return config;
}

std::vector<ArchiveImage> archive_images_of(const Json& json) {
  if (!json.is_array() || json.size() > kMaxItems) refuse("it is no list");
  std::vector<ArchiveImage> all;
  for (const Json& one : json) {
    all.push_back({text_of(one.at("Config")), texts_in(one, "RepoTags"), texts_in(one, "Layers")});
    if (all.back().layers.size() > kMaxLayers) refuse("it has too many layers");
  }
  return all;
}

}  // namespace

Result<std::string> digest_of(std::string_view text) {
  constexpr std::string_view kSha256 = "sha256:";
  const std::string_view hex = text.substr(std::min(kSha256.size(), text.size()));
  if (text.starts_with(kSha256) && is_sha256_hex(hex)) return std::string(hex);
  return std::unexpected(
      Error{.kind = ErrorKind::host, .what = printable(text, 80) + " is no sha256 digest"});
}

bool is_index(const Descriptor& descriptor) {
  return descriptor.media_type == "application/vnd.oci.image.index.v1+json" ||
         descriptor.media_type == "application/vnd.docker.distribution.manifest.list.v2+json";
}

Result<std::vector<Descriptor>> read_index(std::string_view text) {
  return reading("index", text,
                 [](const Json& json) { return descriptors_of(json.at("manifests")); });
}
Result<Manifest> read_manifest(std::string_view text) {
  return reading("manifest", text, [](const Json& json) { return manifest_of(json); });
}
Result<Config> read_config(std::string_view text) {
  return reading("configuration", text, [](const Json& json) { return config_of(json); });
}
Result<std::vector<ArchiveImage>> read_archive_list(std::string_view text) {
  return reading("manifest.json", text, [](const Json& json) { return archive_images_of(json); });
}

}  // namespace sbx::images
