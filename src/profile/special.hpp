// Readers of the keys that have several forms, and the schema of those forms. keys.cpp names them.
#pragma once

#include <string>

#include "profile/decode.hpp"

namespace sbx::profile {

void read_ignored(Decoder& decoder, const Node& node);  ///< layering has dealt with it already
void read_root(Decoder& decoder, const Node& node);
void read_mounts(Decoder& decoder, const Node& node);
void read_mount_source(Decoder& decoder, const Node& node);
void read_perm(Decoder& decoder, const Node& node);
void read_network(Decoder& decoder, const Node& node);
void read_secrets(Decoder& decoder, const Node& node);
void read_secret_source(Decoder& decoder, const Node& node);
void read_secret_perm(Decoder& decoder, const Node& node);
void read_rlimits(Decoder& decoder, const Node& node);
void read_arg_rules(Decoder& decoder, const Node& node);
void read_arg_values(Decoder& decoder, const Node& node);
void read_capabilities(Decoder& decoder, const Node& node);
void read_stdin(Decoder& decoder, const Node& node);

std::string schema_version();
std::string schema_stdin();
std::string schema_extends();
std::string schema_vars();
std::string schema_root();
std::string schema_mounts();
std::string schema_text();
std::string schema_perm();
std::string schema_network();
std::string schema_secrets();
std::string schema_rlimits();
std::string schema_arg_rules();
std::string schema_arg_values();
std::string schema_texts();

/// Permissions of a file, as "0444".
void read_octal(Decoder& decoder, const Node& node, unsigned& out);

/// The schema of a map with these keys, and of one key; schema.cpp.
std::string schema_of(std::span<const Key> keys);

}  // namespace sbx::profile
