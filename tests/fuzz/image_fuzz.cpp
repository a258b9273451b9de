// libFuzzer target: any bytes as what an image says of itself: its documents, the names in its
// layers, and its accounts. Each is read or refused, and what is read is within the bounds that
// what unpacks and runs it counts on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/sha256.hpp"
#include "images/account.hpp"
#include "images/documents.hpp"
#include "images/entry_name.hpp"
#include "promise.hpp"

namespace {

using namespace sbx::images;
using sbx::fuzz::require;

bool is_plain(std::string_view text) { return !text.contains('\0'); }

bool are_plain(const std::vector<std::string>& texts) {
  return std::ranges::all_of(texts, [](const std::string& text) { return is_plain(text); });
}

void look_at(const Descriptor& descriptor) {
  require(sbx::is_sha256_hex(descriptor.digest));
  require(are_plain(descriptor.names) && is_plain(descriptor.media_type));
}

void read_documents(std::string_view text) {
  if (const auto index = read_index(text))
    for (const Descriptor& one : *index) look_at(one);
  if (const auto manifest = read_manifest(text)) {
    look_at(manifest->config);
    require(manifest->layers.size() <= kMaxLayers);
    for (const Descriptor& layer : manifest->layers) look_at(layer);
  }
  if (const auto config = read_config(text)) {
    require(config->diff_ids.size() <= kMaxLayers);
    for (const std::string& id : config->diff_ids) require(sbx::is_sha256_hex(id));
    require(are_plain(config->env) && are_plain(config->command));
    require(is_plain(config->workdir) && is_plain(config->user));
  }
  if (const auto list = read_archive_list(text))
    for (const ArchiveImage& image : *list)
      require(image.layers.size() <= kMaxLayers && are_plain(image.layers) &&
              is_plain(image.config));
}

bool is_inside(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255 && is_plain(name) &&
         !name.contains('/');
}

void read_name(std::string_view text) {
  const auto entry = entry_name(text);
  if (!entry) {
    require(!entry.error().what.empty());
    return;
  }
  require(entry->parents.size() < kMaxNames);
  for (const std::string& parent : entry->parents)
    require(is_inside(parent) && !parent.starts_with(".wh."));
  if (!entry->name.empty()) require(is_inside(entry->name));
  require(entry->role != Role::plain || !entry->name.starts_with(".wh."));
}

/// The first line is who, the rest is a file of accounts.
void read_account(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view rest = text.substr(std::min(end + 1, text.size()));
  const Account account = find_account(text.substr(0, end), rest, rest);
  require(account.problem.empty() || (!account.uid && !account.gid));
  constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  require(account.uid != kNobody && account.gid != kNobody);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_documents(text);
  read_name(text);
  read_account(text);
  return 0;
}
