// The documents of images, whoever wrote them.
#include <doctest/doctest.h>

#include <string>

#include "images/documents.hpp"
#include "images/kept_image.hpp"

namespace {

using namespace sbx::images;

const std::string kHex(64, 'a');

std::string descriptor() {
  return R"({"mediaType":"t","digest":"sha256:)" + kHex + R"(","size":7})";
}

TEST_CASE("an index, a manifest, a configuration") {
  const auto index = read_index(R"({"manifests":[)" + descriptor() + "]}");
  REQUIRE(index);
  CHECK(index->front().digest == kHex);
  CHECK(index->front().size == 7);
  const auto manifest =
      read_manifest(R"({"config":)" + descriptor() + R"(,"layers":[)" + descriptor() + "]}");
  REQUIRE(manifest);
  CHECK(manifest->layers.size() == 1);
  const auto config = read_config(
      R"({"architecture":"amd64","config":{"Env":["A=b"],"Entrypoint":["/e"],"Cmd":["c"],"User":null},)"
      R"("rootfs":{"diff_ids":["sha256:)" +
      kHex + R"("]}})");
  REQUIRE(config);
  CHECK(config->command == std::vector<std::string>{"/e", "c"});
  CHECK(config->user.empty());
  CHECK(read_config(R"({"config":null,"rootfs":{"diff_ids":[]}})"));
}

TEST_CASE("other shapes are refused, and nothing is thrown") {
  for (const char* text :
       {"", "x", "[]", "1", "null", "{}", R"({"manifests":1})", R"({"manifests":[1]})",
        R"({"manifests":[{"digest":"sha256:aa","size":1}]})", R"({"config":{},"layers":[]})",
        R"({"rootfs":{"diff_ids":[1]}})", R"({"config":1,"rootfs":{"diff_ids":[]}})",
        R"({"config":{"Env":["a\u0000b"]},"rootfs":{"diff_ids":[]}})", R"([{"Config":1}])",
        R"([{"Config":"c","Layers":{}}])", "\xff\xfe"}) {
    CHECK_FALSE(read_index(text));
    CHECK_FALSE(read_manifest(text));
    CHECK_FALSE(read_config(text));
    if (std::string(text) != "[]") CHECK_FALSE(read_archive_list(text));
  }
  CHECK_FALSE(read_index(std::string(1'000'000, '[')));
  CHECK_FALSE(read_index("\"" + std::string(kMaxDocument, 'x') + "\""));
  CHECK(read_archive_list(R"([{"Config":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[","Layers":[]}])"));
  std::string layers = descriptor();
  for (std::size_t i = 0; i < kMaxLayers; ++i) layers += "," + descriptor();
  CHECK_FALSE(read_manifest(R"({"config":)" + descriptor() + R"(,"layers":[)" + layers + "]}"));
}

TEST_CASE("digests") {
  CHECK(digest_of("sha256:" + kHex));
  for (const char* text : {"", "sha256:", "sha512:00", "sha256:../../etc/passwd"})
    CHECK_FALSE(digest_of(text));
  CHECK_FALSE(digest_of("sha256:" + std::string(64, 'A')));
}

TEST_CASE("what is kept of an image comes back") {
  KeptImage image;
  image.facts = {.unpacked = true, .env = {"A=b"}, .workdir = "/w", .command = {"c"}, .uid = 7};
  image.config_digest = kHex;
  const auto back = from_text(to_text(image));
  REQUIRE(back);
  CHECK(back->facts.env == image.facts.env);
  CHECK(back->facts.uid == 7U);
  CHECK(back->facts.gid == std::nullopt);
  CHECK_FALSE(from_text("{}"));
  CHECK_FALSE(from_text(""));
}

}  // namespace
