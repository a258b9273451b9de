// The built-in profiles load, stay within what this version can do, and the schema names every key.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "profile/keys.hpp"
#include "profile/quick_reader.hpp"
#include "profile/yaml_reader.hpp"
#include "profile_testing.hpp"

using namespace sbx::profile;
using sbx::testing::describe;
using sbx::testing::has;

namespace {

void check_keys(std::span<const Key> keys, const nlohmann::json& schema) {
  REQUIRE(schema.contains("properties"));
  CHECK(schema.at("properties").size() == keys.size());
  CHECK(schema.at("additionalProperties") == false);
  for (const Key& key : keys) {
    CAPTURE(key.name);
    REQUIRE(schema.at("properties").contains(key.name));
    const auto& property = schema.at("properties").at(std::string(key.name));
    CHECK(property.at("description") == key.doc);
    if (const auto* section = std::get_if<SectionSlot>(&key.slot))
      check_keys(section->keys, property);
  }
}

}  // namespace

TEST_CASE("the eight built-in profiles load") {
  constexpr std::array<std::string_view, 8> kNames{"build", "default", "judge", "net",
                                                   "node",  "python",  "shell", "strict"};
  CHECK(builtin_profiles().size() == kNames.size());
  for (const std::string_view name : kNames) {
    CAPTURE(name);
    const auto loaded = sbx::testing::load_files({}, {.name = std::string(name)});
    if (!loaded) FAIL(describe(loaded.error()));
    CHECK(loaded->name == name);
    CHECK_FALSE(loaded->description.empty());
  }
}

TEST_CASE("the profile named default is the default") {
  const Profile profile = *sbx::testing::load_files({}, {});
  CHECK(profile.limits.memory == Limits{}.memory);
  CHECK(profile.origins.size() == 1);
  CHECK(profile.origins.contains("description"));
}

TEST_CASE("the built-in profiles are written in the quick reader's core of YAML") {
  for (const auto& [name, text] : builtin_profiles()) {
    CAPTURE(name);
    Findings findings;
    const auto quick = read_quickly(name, text);
    const auto full = parse_fully(name, text, findings);
    REQUIRE(quick.has_value());
    REQUIRE(full.has_value());
    CHECK(*quick == *full);
  }
}

TEST_CASE("the quick reader agrees with yaml-cpp or hands over") {
  const std::vector<std::string> texts{"a: 1\nb:\n  c: d e\n  f: [g, \"h i\", {j: k}]\n",
                                       "a: b # c\n",
                                       "a: b#c\n",
                                       "a: [b, c] # d\n",
                                       "a: {b: c,d: e}\n",
                                       "a: [b,c]\n",
                                       "a:\n  - b\n  - \"c\"\n",
                                       "a:\n- b\n- c\n",
                                       "a: b\n  c\n",
                                       "a: \"b\" c\n",
                                       "a: b: c\n",
                                       "a: []\nb: {}\n",
                                       "a: null\n",
                                       "a: ~\n",
                                       "a:\n",
                                       "a: b\na: c\n",
                                       "  a: b\n",
                                       "a: 'b'\n",
                                       "a: [b, c,]\n",
                                       "a: [b\n",
                                       "a: -1\n",
                                       "- a\n- b\n",
                                       "a: b \nc: d",
                                       "a: x, y (z); w=v\n",
                                       "a: ${b}\n",
                                       "a: ${env:X:-y} # z\n",
                                       "a: x{y}z}: w\n",
                                       "a: [${b}]\n",
                                       "a: {b: ${c}}\n",
                                       "a:\n  - ./data:/data:ro\n  - b:c\n",
                                       "a: b:\n",
                                       "a: b: c:d\n",
                                       "a: b:c # d\n",
                                       "a: b:#c\n",
                                       "a: $\n",
                                       "{mode: none}",
                                       "{set: {\"A B\": \"c: d, }\"}}",
                                       "[{bind: \"/a b\", at: \"/c\", mode: rw}] # d",
                                       "[]",
                                       "{\"null\": a}",
                                       "\"a: b\"",
                                       "\"a\": b",
                                       "{\"null\": null}",
                                       "{\"null\": a, \"null\": b}",
                                       "{\"\": a}",
                                       "{\"a\\n\": b}",
                                       "{\"a\":b}",
                                       "{\"a\"}",
                                       "{\"a",
                                       "[a]\nb: c\n",
                                       "[a] b",
                                       " [a]",
                                       "[a]: b",
                                       "{a: b}: c"};
  const std::set<std::string> quick_ones{texts.begin() + 35, texts.begin() + 41};
  for (const std::string& text : texts) {
    CAPTURE(text);
    Findings findings;
    const auto quick = read_quickly("f", text);
    CHECK((quick || !quick_ones.contains(text)));
    if (!quick) continue;
    const auto full = parse_fully("f", text, findings);
    REQUIRE(full.has_value());
    CHECK(findings.empty());
    CHECK(*quick == *full);
  }
}

TEST_CASE("the schema is JSON and has every key of the table") {
  const auto schema = nlohmann::json::parse(profile_schema());
  CHECK(schema.at("required") == nlohmann::json::array({"version"}));
  check_keys(profile_keys(), schema);
}
