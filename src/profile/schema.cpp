// The table of keys as a JSON Schema (2020-12), for editors and other tools.
#include <array>

#include "base/text.hpp"
#include "profile/load.hpp"
#include "profile/special.hpp"

namespace sbx::profile {
namespace {

std::string ref(std::string_view name) {
  return R"({"$ref":"#/$defs/)" + std::string(name) + "\"}";
}

std::string word_enum(std::span<const std::string_view> words) {
  std::string out = R"({"enum":[)";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += ',';
    out += json_string(words[i]);
  }
  return out + "]}";
}

std::string any_of(std::initializer_list<std::string> schemas) {
  std::string out = R"({"anyOf":[)";
  for (const std::string& schema : schemas) {
    if (out.back() != '[') out += ',';
    out += schema;
  }
  return out + "]}";
}

std::string list_of(const std::string& item) { return R"({"type":"array","items":)" + item + '}'; }

/// No catch-all: a new slot does not compile until the schema knows it.
struct SlotSchema {
  std::string operator()(const TextSlot&) const { return ref("text"); }
  std::string operator()(const MaybeTextSlot&) const { return ref("text"); }
  std::string operator()(const SwitchSlot&) const {
    return any_of({R"({"type":"boolean"})", ref("variable")});
  }
  std::string operator()(const SizeSlot&) const { return ref("size"); }
  std::string operator()(const CountSlot&) const { return ref("count"); }
  std::string operator()(const SizeLimitSlot&) const { return any_of({ref("none"), ref("size")}); }
  std::string operator()(const RateLimitSlot&) const { return any_of({ref("none"), ref("rate")}); }
  std::string operator()(const CountLimitSlot&) const {
    return any_of({ref("none"), ref("count")});
  }
  std::string operator()(const TimeLimitSlot&) const {
    return any_of({ref("none"), ref("duration")});
  }
  std::string operator()(const CoresLimitSlot&) const {
    return any_of(
        {ref("none"), R"({"type":"number","minimum":0.01,"maximum":8192})", ref("variable")});
  }
  std::string operator()(const TimeSlot&) const { return ref("duration"); }
  std::string operator()(const OffsetSlot&) const { return ref("offset"); }
  std::string operator()(const IdSlot&) const {
    return any_of({R"({"const":"caller"})",
                   R"({"type":"integer","minimum":0,"maximum":4294967294})", ref("variable")});
  }
  std::string operator()(const TextListSlot&) const { return list_of(ref("text")); }
  std::string operator()(const PortListSlot&) const {
    return list_of(any_of({R"({"type":"integer","minimum":1,"maximum":65535})", ref("variable")}));
  }
  std::string operator()(const TextMapSlot&) const {
    return R"({"type":"object","additionalProperties":)" + ref("text") + '}';
  }
  std::string operator()(const ChoiceSlot& slot) const {
    return any_of({word_enum(slot.words), ref("variable")});
  }
  std::string operator()(const SectionSlot& slot) const { return schema_of(slot.keys); }
  std::string operator()(const SpecialSlot& slot) const { return slot.schema(); }
};

/// A map with `keys`, of which `required` must be there.
std::string object(std::span<const Key> keys, std::initializer_list<std::string_view> required) {
  std::string out = R"({"type":"object","additionalProperties":false,)";
  std::string names;
  for (const std::string_view name : required)
    names += (names.empty() ? "" : ",") + json_string(name);
  if (!names.empty()) out += "\"required\":[" + names + "],";
  out += R"("properties":{)";
  bool first = true;
  for (const Key& key : keys) {
    if (!first) out += ',';
    first = false;
    // A $ref may have neighbours since 2019-09, so the description goes beside whatever the slot
    // says.
    out += json_string(key.name) + R"(:{"description":)" + json_string(key.doc) + ',' +
           std::visit(SlotSchema{}, key.slot).substr(1);
  }
  return out + "}}";
}

constexpr std::string_view kDefinitions = R"json("$defs":{
"variable":{"type":"string","pattern":"\\$\\{"},
"none":{"const":"none"},
"text":{"anyOf":[{"type":"string"},{"type":"number"}]},
"size":{"anyOf":[{"const":0},{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(B|K|KiB|kB|KB|M|MiB|MB|G|GiB|GB|T|TiB|TB|PiB)|0)$"},{"$ref":"#/$defs/variable"}]},
"rate":{"anyOf":[{"type":"string","pattern":"^[0-9]+(\\.[0-9]+)?(B|K|KiB|kB|KB|M|MiB|MB|G|GiB|GB|T|TiB|TB|PiB)/s$"},{"$ref":"#/$defs/variable"}]},
"count":{"anyOf":[{"type":"integer","minimum":0},{"$ref":"#/$defs/variable"}]},
"duration":{"anyOf":[{"const":0},{"type":"string","pattern":"^(([0-9]+(\\.[0-9]+)?(d|h|m|s|ms))+|0)$"},{"$ref":"#/$defs/variable"}]},
"offset":{"anyOf":[{"const":0},{"type":"string","pattern":"^[-+]?(([0-9]+(\\.[0-9]+)?(d|h|m|s|ms))+|0)$"},{"$ref":"#/$defs/variable"}]}
})json";

}  // namespace

std::string schema_of(std::span<const Key> keys) { return object(keys, {}); }

std::string schema_version() { return R"({"const":1})"; }
std::string schema_texts() { return list_of(ref("text")); }
std::string schema_text() { return ref("text"); }
std::string schema_stdin() { return any_of({ref("text"), R"({"type":"null"})"}); }
std::string schema_extends() { return R"({"type":"array","items":{"type":"string"}})"; }
std::string schema_vars() {
  // A variable may be all of a value, and so a truth value.
  return R"({"type":"object","additionalProperties":)" +
         any_of({ref("text"), R"({"type":"boolean"})"}) + '}';
}
std::string schema_perm() {
  return any_of({R"({"type":"string","pattern":"^0?[0-7]{3}$"})", ref("variable")});
}
std::string schema_root() {
  return any_of({R"({"enum":["host","empty"]})", ref("variable"), object(root_dir_keys(), {"dir"}),
                 object(root_oci_keys(), {"oci"})});
}
std::string schema_mounts() {
  return list_of(
      any_of({R"({"type":"string","pattern":"^[^:]+:[^:]+(:(ro|rw))?$"})", ref("variable"),
              object(bind_keys(), {"bind", "at"}), object(tmpfs_keys(), {"tmpfs"}),
              object(file_keys(), {"file", "content"}), object(copy_keys(), {"copy", "at"})}));
}
std::string schema_network() {
  return any_of({R"({"enum":["none","host"]})", ref("variable"), object(network_keys(), {})});
}
std::string schema_secrets() {
  return R"({"type":"object","additionalProperties":)" + object(secret_keys(), {"from"}) + '}';
}
std::string schema_arg_rules() { return list_of(object(arg_rule_keys(), {"call", "arg", "in"})); }
std::string schema_arg_values() {
  return R"({"type":"array","minItems":1,"items":{"type":["integer","string"]}})";
}

std::string schema_rlimits() {
  std::string out = R"({"type":"object","additionalProperties":false,"properties":{)";
  for (const RlimitName& limit : rlimit_names()) {
    if (out.back() != '{') out += ',';
    const bool time = limit.unit == RlimitUnit::seconds || limit.unit == RlimitUnit::microseconds;
    const std::string_view unit = limit.unit == RlimitUnit::count ? "count"
                                  : time                          ? "duration"
                                                                  : "size";
    out += json_string(limit.name) + ':' + any_of({ref("none"), ref(unit)});
  }
  return out + "}}";
}

std::string profile_schema() {
  std::string out =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:sbx:schema:profile:1","title":"sbx profile",)";
  out += kDefinitions;
  out += ',';
  out += object(profile_keys(), {"version"}).substr(1);
  return out + '\n';
}

}  // namespace sbx::profile
