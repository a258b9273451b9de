#include "mcp/revision.hpp"

#include <array>
#include <string>
#include <utility>

namespace sbx::mcp {
namespace {

constexpr std::array<std::string_view, 5> kNames{"2024-11-05", "2025-03-26", "2025-06-18",
                                                 "2025-11-25", "2026-07-28"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr int kLasting = 300'000;  // ms

Json capabilities() { return {{"tools", Json::object()}, {"resources", Json::object()}}; }

Json server_info(std::string_view version) { return {{"name", "sbx"}, {"version", version}}; }

std::unexpected<Refusal> wrong(std::string text) {
  return std::unexpected(Refusal{Code::invalid_params, std::move(text)});
}

/// "[artifact] /workspace/out/plot.png: sbx://artifact/..."
Json as_text(const Json& link) {
  return {{"type", "text"}, {"text", link.value("name", "") + ": " + link.value("uri", "")}};
}

std::optional<Revision> find_revision(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Revision>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Revision revision) { return kNames[static_cast<std::size_t>(revision)]; }

Revision negotiate(std::string_view asked) {
  const auto found = find_revision(asked);
  return found && *found != Revision::r2026_07_28 ? *found : Revision::r2025_11_25;
}

std::expected<std::optional<Revision>, Refusal> revision_of(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end()) return std::nullopt;
  if (!meta->is_object()) return wrong("`_meta` has to be an object");
  const auto version = meta->find(kVersionKey);
  if (version == meta->end()) return std::nullopt;
  if (!version->is_string()) return wrong("`" + std::string(kVersionKey) + "` has to be a text");
  const auto named = version->get<std::string>();
  if (named != name_of(Revision::r2026_07_28)) {
    Json data{{"supported", kNames}, {"requested", named}};
    return std::unexpected(
        Refusal{Code::unsupported_version, "Unsupported protocol version", std::move(data)});
  }
  const auto can = meta->find(kCapabilitiesKey);
  if (can == meta->end() || !can->is_object())
    return wrong("`_meta` needs `" + std::string(kCapabilitiesKey) + "`, an object");
  return Revision::r2026_07_28;
}

Json initialize_result(Revision revision, std::string_view version, std::string_view instructions) {
  Json result{{"protocolVersion", name_of(revision)},
              {"capabilities", capabilities()},
              {"serverInfo", server_info(version)}};
  if (revision >= Revision::r2025_03_26) result["instructions"] = instructions;
  return result;
}

Json discover_result(std::string_view instructions) {
  return {{"supportedVersions", kNames},
          {"capabilities", capabilities()},
          {"instructions", instructions}};
}

Json tool_for(Revision revision, Json tool) {
  if (revision < Revision::r2025_06_18) {
    tool.erase("title");
    tool.erase("outputSchema");
  }
  if (revision < Revision::r2025_03_26) tool.erase("annotations");
  return tool;
}

Json call_result_for(Revision revision, Json result) {
  if (revision >= Revision::r2025_06_18) return result;
  result.erase("structuredContent");
  for (Json& content : result["content"])
    if (content.value("type", "") == "resource_link") content = as_text(content);
  return result;
}

Json stamp(Revision revision, Json result, std::string_view version, bool cacheable, bool lasting) {
  if (revision < Revision::r2026_07_28) return result;
  result["resultType"] = "complete";
  if (cacheable) {
    result["ttlMs"] = lasting ? kLasting : 0;
    result["cacheScope"] = "private";
  }
  result["_meta"][kServerKey] = server_info(version);
  return result;
}

}  // namespace sbx::mcp
