#include "mcp/kept_files.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "artifacts/collect.hpp"
#include "artifacts/retrieve.hpp"
#include "artifacts/store.hpp"
#include "base/base64.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "mcp/arguments.hpp"
#include "redact/stream.hpp"
#include "supervise/redaction.hpp"

namespace sbx::mcp {
namespace {

constexpr std::uint64_t kLargestRead = std::uint64_t{16} << 20U;
constexpr std::uint64_t kLargestImage = std::uint64_t{2} << 20U;
constexpr std::uint64_t kAllImages = std::uint64_t{6} << 20U;
constexpr std::size_t kPage = 100;
constexpr std::size_t kMostPatterns = 100;

/// Seen from the folder as if it were all there is: "/out/*.png".
Result<std::string> pattern_in(const Workspace& workspace, std::string_view pattern) {
  std::string_view rest = pattern;
  if (rest == workspace.at()) rest = "**";
  if (rest.starts_with(workspace.at() + "/")) rest.remove_prefix(workspace.at().size() + 1);
  while (rest.starts_with("./")) rest.remove_prefix(2);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  std::string whole = "/" + std::string(rest == "." || rest.empty() ? "**" : rest);
  const bool leads_out =
      rest.starts_with('/') || whole.ends_with("/..") || whole.find("/../") != std::string::npos;
  if (!leads_out && PathPattern(whole).valid()) return whole;
  return std::unexpected(Error{.kind = ErrorKind::usage,
                               .what = quote(pattern) + " is no pattern of the workspace",
                               .hint = "such as out/*.png, or " + workspace.at() + "/**/*.csv"});
}

artifacts::Run run_of(const std::string& id, const std::string& profile,
                      const profile::Artifacts& bounds) {
  artifacts::Run run;
  run.id = id;
  run.profile = profile;
  run.argv = {"sbx", "mcp"};
  run.status = "ok";
  run.ended_at =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  if (bounds.ttl) run.expires_at = run.ended_at + *bounds.ttl;
  return run;
}

}  // namespace

void KeptFiles::know_one(Known known) {
  if (!seen_.insert(known.sha256 + known.path).second) return;
  used_ += known.bytes;
  known_.push_back(std::move(known));
}

void KeptFiles::know(const Json& artifacts) {
  for (const Json& one : artifacts)
    know_one({one.value("path", ""), one.value("bytes", std::uint64_t{0}),
              one.value("media_type", ""), one.value("sha256", "")});
}

Json KeptFiles::note(const artifacts::Artifact& artifact) {
  const std::string path = printable(artifact.path, std::string_view::npos);
  know_one({path, artifact.bytes, artifact.media_type, artifact.sha256});
  return {{"path", path},
          {"bytes", artifact.bytes},
          {"sha256", artifact.sha256},
          {"media_type", artifact.media_type},
          {"uri", artifact_uri(artifact.sha256, path)}};
}

Json KeptFiles::take(const Json& artifacts) {
  Json out = Json::array();
  for (const Json& one : artifacts)
    out.push_back(note({one.value("path", "?"), one.value("bytes", std::uint64_t{0}),
                        one.value("sha256", ""), one.value("media_type", "")}));
  return out;
}

/// As of what runs keep: no secret of theirs gets into a text or a name.
void KeptFiles::mask(artifacts::Wish& wish) const {
  if (redactor_ == nullptr) return;
  wish.tells = [this](const std::string& path) {
    return supervise::redacted(redactor_, path) == path;
  };
  wish.filter = [this] {
    return [stream = std::make_shared<redact::Stream>(redactor_, redact::Reader::later)](
               std::string_view piece, bool last, std::string& out) {
      if (last)
        stream->finish(out);
      else
        stream->feed(piece, out);
    };
  };
}

Answer KeptFiles::collect(const Json& given, const Workspace& workspace, const std::string& run) {
  Arguments arguments(given);
  const auto patterns = arguments.texts("patterns");
  if (patterns.empty() || patterns.size() > kMostPatterns)
    arguments.add_mistake("`patterns` needs 1 to " + std::to_string(kMostPatterns) + " of them");
  if (const auto wrong = arguments.mistake()) return failure(*wrong);
  if (used_ >= bounds_.max || known_.size() >= bounds_.max_files)
    return failure(
        "the session has kept as much as the operator's profile allows (artifacts.max: " +
        format_bytes(bounds_.max) + ", artifacts.max_files: " + std::to_string(bounds_.max_files) +
        ")");
  const auto gather = [&]() -> Result<artifacts::Collection> {
    artifacts::Wish wish{
        {}, bounds_.max - used_, bounds_.max_files - static_cast<std::uint64_t>(known_.size())};
    for (const std::string& pattern : patterns)
      wish.patterns.push_back(SBX_TRY(pattern_in(workspace, pattern)));
    wish.hides = [&workspace](const std::string& path) { return workspace.hides(path.substr(1)); };
    mask(wish);
    auto staging = SBX_TRY(artifacts::Staging::make(run));
    auto found = SBX_TRY(artifacts::collect(workspace.folder(), workspace.rights(), wish, staging));
    for (artifacts::Artifact& one : found.artifacts) one.path = workspace.at() + one.path;
    if (!found.artifacts.empty())
      SBX_CHECK(staging.commit(run_of(run, profile_, bounds_), {"{}", "{}"}, found.artifacts));
    return found;
  };
  const auto found = gather();
  if (!found) return failure(found.error());
  Answer answer;
  Json list = Json::array();
  for (const artifacts::Artifact& one : found->artifacts) list.push_back(note(one));
  answer.add_text(std::to_string(list.size()) + (list.size() == 1 ? " file" : " files") + " kept");
  for (const std::string& warning : found->warnings) answer.add_text("warning: " + warning);
  show(list, answer);
  answer.data = {{"artifacts", std::move(list)}, {"warnings", found->warnings}};
  return answer;
}

Result<std::string> KeptFiles::content(const Known& known) const {
  const auto store = SBX_TRY(artifacts::Store::open(false));
  if (!store.exists()) return std::unexpected(artifacts::store_error("it is gone", 0));
  const artifacts::Artifact artifact{known.path, known.bytes, known.sha256, known.media_type};
  std::optional<artifacts::Opened> opened = SBX_TRY(store.opened(artifacts::Use::look));
  const os::UniqueFd file = SBX_TRY(artifacts::open_content(*opened, artifact));
  opened.reset();
  SBX_CHECK(artifacts::check(file.get(), artifact));
  std::string bytes;
  SBX_CHECK(artifacts::send(file.get(), artifact, [&bytes](std::string_view part) -> Result<void> {
    bytes += part;
    return {};
  }));
  return bytes;
}

void KeptFiles::show(const Json& artifacts, Answer& answer) const {
  std::uint64_t shown = 0;
  for (const Json& one : artifacts) {
    answer.add_link(one);
    const std::uint64_t bytes = one["bytes"].get<std::uint64_t>();
    const std::string type = one["media_type"].get<std::string>();
    if (!is_image(type)) continue;
    if (bytes > kLargestImage || shown + bytes > kAllImages) {
      answer.add_text(one["path"].get<std::string>() +
                      " is too large to be shown here; read it as a resource");
      continue;
    }
    const auto image =
        content({one["path"].get<std::string>(), bytes, type, one["sha256"].get<std::string>()});
    if (!image) continue;
    shown += bytes;
    answer.add_image(*image, type);
  }
}

std::optional<Json> KeptFiles::list(std::string_view cursor) const {
  const auto from =
      cursor.empty() ? std::optional<std::size_t>(0) : parse_number<std::size_t>(cursor);
  if (!from || *from > known_.size()) return std::nullopt;
  Json resources = Json::array();
  const std::size_t end = std::min(known_.size(), *from + kPage);
  for (std::size_t i = *from; i < end; ++i)
    resources.push_back({{"uri", artifact_uri(known_[i].sha256, known_[i].path)},
                         {"name", known_[i].path},
                         {"mimeType", known_[i].media_type},
                         {"size", known_[i].bytes}});
  Json result{{"resources", std::move(resources)}};
  if (end < known_.size()) result["nextCursor"] = std::to_string(end);
  return result;
}

std::expected<Json, Refusal> KeptFiles::read(const std::string& uri) const {
  const std::string_view digest = artifact_in(uri);
  const auto known = std::ranges::find_if(known_, [&](const Known& one) {
    return one.sha256 == digest && artifact_uri(one.sha256, one.path) == uri;
  });
  const auto refuse = [&uri](Code code, std::string text) {
    return std::unexpected(Refusal{code, std::move(text), {{"uri", uri}}});
  };
  if (known == known_.end())
    return refuse(Code::resource_not_found, "the session has no such resource");
  if (known->bytes > kLargestRead)
    return refuse(Code::invalid_params, "it has " + format_bytes(known->bytes) + ", more than " +
                                            format_bytes(kLargestRead) +
                                            "; the operator has it: sbx artifacts get");
  auto bytes = content(*known);
  if (!bytes) return refuse(Code::resource_not_found, bytes.error().to_line());
  *bytes = supervise::redacted(redactor_, *bytes);  // what is no text was kept as it was
  Json entry{{"uri", uri}, {"mimeType", known->media_type}};
  if (known->media_type.starts_with("text/") && is_utf8(*bytes))
    entry["text"] = std::move(*bytes);
  else
    entry["blob"] = to_base64(*bytes);
  return Json{{"contents", Json::array({std::move(entry)})}};
}

Json KeptFiles::templates() {
  return {
      {"resourceTemplates",
       Json::array({{{"uriTemplate", "sbx://artifact/{sha256}/{name}"},
                     {"name", "artifact"},
                     {"description",
                      "A file that the session has kept: by collect_artifacts, or because the "
                      "operator's profile collects it. Images are blobs of their media type."}}})}};
}

}  // namespace sbx::mcp
