#include "images/kept_image.hpp"

#include <nlohmann/json.hpp>

#include "base/json_line.hpp"
#include "base/text.hpp"

namespace sbx::images {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kSchema = "sbx.image/1";

void put_id(Json& json, const char* key, const std::optional<std::uint32_t>& id) {
  if (id) json[key] = *id;
}

std::optional<std::uint32_t> take_id(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return json.at(key).get<std::uint32_t>();
}

KeptImage image_of(const Json& json) {
  if (json.at("schema").get_ref<const std::string&>() != kSchema)
    throw Json::other_error::create(501, "another schema", nullptr);
  KeptImage image;
  image.config_digest = json.at("config").get<std::string>();
  image.bytes = json.at("bytes").get<std::uint64_t>();
  image.left_out = json.at("left_out").get<std::uint64_t>();
  ImageFacts& facts = image.facts;
  facts.unpacked = true;
  facts.env = json.at("env").get<std::vector<std::string>>();
  facts.command = json.at("command").get<std::vector<std::string>>();
  facts.workdir = json.at("workdir").get<std::string>();
  facts.uid = take_id(json, "uid");
  facts.gid = take_id(json, "gid");
  facts.user = json.at("user").get<std::string>();
  facts.user_problem = json.at("user_problem").get<std::string>();
  return image;
}

}  // namespace

std::string to_text(const KeptImage& image) {
  const ImageFacts& facts = image.facts;
  Json json{{"schema", kSchema},
            {"config", image.config_digest},
            {"bytes", image.bytes},
            {"left_out", image.left_out},
            {"env", facts.env},
            {"command", facts.command},
            {"workdir", facts.workdir},
            {"user", facts.user},
            {"user_problem", facts.user_problem}};
  put_id(json, "uid", facts.uid);
  put_id(json, "gid", facts.gid);
  return json_line(json) + "\n";
}

Result<KeptImage> from_text(std::string_view text) {
  try {
    return image_of(Json::parse(text));
  } catch (const Json::exception& wrong) {
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "what is kept of the image is damaged: " + printable(wrong.what())});
  }
}

}  // namespace sbx::images
