#include "changes/manifest.hpp"

#include <array>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_line.hpp"
#include "base/text.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "sbx.changes/1";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::array<std::pair<EntryKind, std::string_view>, 5> kKinds{
    {{EntryKind::absent, "absent"},
     {EntryKind::file, "file"},
     {EntryKind::folder, "folder"},
     {EntryKind::symlink, "symlink"},
     {EntryKind::fifo, "fifo"}}};

Json bytes_json(std::string_view bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    hex += kDigits[value >> 4U];
    hex += kDigits[value & 15U];
  }
  return {{"hex", std::move(hex)}};
}

/// Throws what a JSON of another shape does; so do all the others.
std::string bytes_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto hex = json.at("hex").get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const std::size_t high = kDigits.find(hex[i]);
    const std::size_t low = kDigits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
      throw Json::other_error::create(501, "no hexadecimal digit", &json);
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

Json entry_json(const Entry& entry) {
  Json json;
  for (const auto& [kind, name] : kKinds)
    if (kind == entry.kind) json["kind"] = name;
  if (entry.kind == EntryKind::absent) return json;
  json["mode"] = entry.mode;
  if (entry.kind == EntryKind::file) {
    json["size"] = entry.size;
    json["digest"] = entry.digest;
    json["modified_ns"] = entry.modified_ns;
  }
  if (entry.kind == EntryKind::symlink) json["target"] = bytes_json(entry.target);
  for (const Attribute& attribute : entry.attributes)
    json["attributes"].push_back(
        Json::array({bytes_json(attribute.name), bytes_json(attribute.value)}));
  return json;
}

Entry entry_of(const Json& json) {
  Entry entry;
  const auto& named = json.at("kind").get_ref<const std::string&>();
  bool known = false;
  for (const auto& [kind, name] : kKinds) {
    if (name != named) continue;
    entry.kind = kind;
    known = true;
  }
  if (!known) throw Json::other_error::create(501, "no kind of entry: " + named, &json);
  if (entry.kind == EntryKind::absent) return entry;
  entry.mode = json.at("mode").get<unsigned>();
  if (entry.kind == EntryKind::file) {
    entry.size = json.at("size").get<std::uint64_t>();
    entry.digest = json.at("digest").get<std::string>();
    entry.modified_ns = json.at("modified_ns").get<std::int64_t>();
  }
  if (entry.kind == EntryKind::symlink) entry.target = bytes_of(json.at("target"));
  if (json.contains("attributes"))
    for (const Json& pair : json.at("attributes"))
      entry.attributes.push_back({bytes_of(pair.at(0)), bytes_of(pair.at(1))});
  // As an older sbx has kept them.
  std::erase_if(entry.attributes,
                [](const Attribute& one) { return os::is_for_overlays(one.name); });
  return entry;
}

Json change_json(const Change& change) {
  Json json{{"path", bytes_json(change.path)},
            {"before", entry_json(change.before)},
            {"after", entry_json(change.after)}};
  if (change.object != 0) json["object"] = change.object;
  if (change.link_group != 0) json["link_group"] = change.link_group;
  if (change.disturbed) json["disturbed"] = true;
  if (change.passage) json["passage"] = true;
  return json;
}

Change change_of(const Json& json) {
  Change change;
  change.path = bytes_of(json.at("path"));
  change.before = entry_of(json.at("before"));
  change.after = entry_of(json.at("after"));
  change.object = json.value("object", std::uint64_t{0});
  change.link_group = json.value("link_group", std::uint64_t{0});
  change.disturbed = json.value("disturbed", false);
  change.passage = json.value("passage", false);
  return change;
}

ChangeSet set_of(const Json& json) {
  if (json.at("schema").get_ref<const std::string&>() != kSchema)
    throw Json::other_error::create(501, "another schema", &json);
  ChangeSet set;
  set.run = json.at("run").get<std::string>();
  set.profile = json.at("profile").get<std::string>();
  set.workspace = bytes_of(json.at("workspace"));
  for (const Json& word : json.at("argv")) set.argv.push_back(bytes_of(word));
  set.ended_at = json.at("ended_at").get<std::string>();
  for (const Json& change : json.at("changes")) set.changes.push_back(change_of(change));
  for (const Json& omission : json.at("omitted"))
    set.omitted.push_back({bytes_of(omission.at("path")), omission.at("why").get<std::string>()});
  return set;
}

}  // namespace

std::string to_manifest(const ChangeSet& set) {
  Json argv = Json::array();
  for (const std::string& word : set.argv) argv.push_back(bytes_json(word));
  Json changes = Json::array();
  for (const Change& change : set.changes) changes.push_back(change_json(change));
  Json omitted = Json::array();
  for (const Omission& omission : set.omitted)
    omitted.push_back({{"path", bytes_json(omission.path)}, {"why", omission.why}});
  return json_line(Json{{"schema", kSchema},
                        {"run", set.run},
                        {"profile", set.profile},
                        {"workspace", bytes_json(set.workspace)},
                        {"argv", std::move(argv)},
                        {"ended_at", set.ended_at},
                        {"changes", std::move(changes)},
                        {"omitted", std::move(omitted)}}) +
         "\n";
}

Result<ChangeSet> from_manifest(std::string_view text) {
  try {
    return set_of(Json::parse(text));
  } catch (const Json::exception& wrong) {
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "the list of the kept changes is damaged: " + printable(wrong.what())});
  }
}

}  // namespace sbx::changes
