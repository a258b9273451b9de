// Keys with several forms: root, network, secrets, rlimits, seccomp arguments, capabilities, stdin.
#include "profile/special.hpp"

#include <linux/sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ascii.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"

namespace sbx::profile {
namespace {

/// Constants that argument rules are most often about.
struct Constant {
  std::string_view name;
  std::uint64_t value;
};
constexpr Constant kConstants[] = {
    {"AF_UNIX", AF_UNIX},
    {"AF_LOCAL", AF_UNIX},
    {"AF_INET", AF_INET},
    {"AF_INET6", AF_INET6},
    {"AF_NETLINK", AF_NETLINK},
    {"AF_PACKET", AF_PACKET},
    {"AF_VSOCK", AF_VSOCK},
    {"AF_ALG", AF_ALG},
    {"AF_BLUETOOTH", AF_BLUETOOTH},
    {"AF_CAN", AF_CAN},
    {"AF_KEY", AF_KEY},
    {"AF_XDP", AF_XDP},
    {"SOCK_STREAM", SOCK_STREAM},
    {"SOCK_DGRAM", SOCK_DGRAM},
    {"SOCK_RAW", SOCK_RAW},
    {"SOCK_SEQPACKET", SOCK_SEQPACKET},
    {"PER_LINUX", 0},
    {"PER_LINUX32", 8},
    {"CLONE_VM", CLONE_VM},
    {"CLONE_FS", CLONE_FS},
    {"CLONE_FILES", CLONE_FILES},
    {"CLONE_THREAD", CLONE_THREAD},
};

void read_one_value(Decoder& d, const Node& item) {
  std::vector<std::uint64_t>& out = d.profile().seccomp.args.back().in;
  if (item.kind == NodeKind::scalar) {
    for (const Constant& constant : kConstants) {
      if (constant.name == item.text) return out.push_back(constant.value);
    }
    if (item.text.starts_with("0x") && !item.quoted) {
      const auto value = parse_number<std::uint64_t>(std::string_view(item.text).substr(2), 16);
      if (value) return out.push_back(*value);
    }
    if (!item.text.empty() && item.text.front() >= 'A' && item.text.front() <= 'Z') {
      std::vector<std::string_view> names;
      for (const Constant& constant : kConstants) names.push_back(constant.name);
      const std::string_view near = nearest_name(item.text, names);
      d.complain(item,
                 "unknown constant `" + printable(item.text, 40) + '`' +
                     (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?"),
                 "a number works for every constant");
      return;
    }
  }
  std::uint64_t value = 0;
  if (d.read_count(item, value)) out.push_back(value);
}

/// A limit of setrlimit(2): a count, a size with its unit, a duration, or none.
void read_one_rlimit(Decoder& d, const Node& node, const RlimitName& limit) {
  std::optional<std::uint64_t>& out = d.profile().limits.rlimits[std::string(limit.name)];
  if (Decoder::is_word(node, "none")) {
    out.reset();
    return;
  }
  std::uint64_t value = 0;
  switch (limit.unit) {
    case RlimitUnit::size:
      if (d.read_size(node, value, "a size such as 256M, or none")) out = value;
      return;
    case RlimitUnit::count:
      if (Decoder::is_no_number(node)) return d.complain_form(node, "a whole number, or none");
      if (d.read_count(node, value)) out = value;
      return;
    case RlimitUnit::seconds:
    case RlimitUnit::microseconds:
      break;
  }
  if (Decoder::is_no_number(node)) return d.complain_form(node, "a duration such as 10s, or none");
  const Parsed<Duration> time = parse_duration(node.text);
  if (!time) {
    d.complain(node, d.subject() + ": " + time.error());
  } else if (*time > kLongestTime) {
    d.complain(node, d.subject() + " is longer than a hundred years",
               "write none to lift the limit");
  } else if (limit.unit == RlimitUnit::seconds && time->count() % 1000 != 0) {
    d.complain(node, d.subject() + " counts whole seconds",
               "limits.cpu is finer, and covers the whole tree");
  } else {
    out = static_cast<std::uint64_t>(time->count());
    out = limit.unit == RlimitUnit::seconds ? *out / 1000 : *out * 1000;
  }
}

/// Says that `key` must be there; special readers call it after their map was read without a
/// problem: an unknown key is often the one that is missing.
void require_key(Decoder& d, const Node& map, std::string_view key) {
  if (map.find(key) == nullptr) d.complain(map, d.subject() + " needs `" + std::string(key) + '`');
}

}  // namespace

void read_ignored(Decoder& /*decoder*/, const Node& /*node*/) {}

void read_root(Decoder& d, const Node& node) {
  Root& root = d.profile().root;
  if (Decoder::is_word(node, "host") || Decoder::is_word(node, "empty")) {
    root.kind = node.text == "host" ? RootKind::host : RootKind::empty;
    return;
  }
  const bool oci = node.find("oci") != nullptr;
  if (!oci && node.find("dir") == nullptr) {
    d.complain(node, d.subject() + " must be host, empty, {dir: FOLDER} or {oci: LAYOUT}");
    return;
  }
  root.kind = oci ? RootKind::oci : RootKind::dir;
  d.read_map(node, oci ? root_oci_keys() : root_dir_keys());
  const Node* written = node.find(oci ? "oci" : "dir");
  if (root.path.empty() && written->kind == NodeKind::scalar)
    d.complain(*written, d.subject() + ": the folder's name is empty");
  root.path = resolve_path(d.folder_of(*written), root.path);
}

void read_network(Decoder& d, const Node& node) {
  Network& network = d.profile().network;
  if (Decoder::is_word(node, "none") || Decoder::is_word(node, "host")) {
    network.mode = node.text == "none" ? NetworkMode::none : NetworkMode::host;
    return;
  }
  if (node.kind != NodeKind::map) {
    d.complain(
        node, d.subject() + " must be none, host, or a map such as {allow: [\"example.org:443\"]}");
    return;
  }
  network.mode = NetworkMode::filtered;
  d.read_map(node, network_keys());
}

void read_secrets(Decoder& d, const Node& node) {
  d.each_entry(node, [&](const Node& entry) {
    d.profile().secrets.push_back({.name = entry.key});
    const std::size_t before = d.problems();
    d.read_map(entry, secret_keys());
    if (d.problems() == before) require_key(d, entry, "from");
    if (d.problems() > before) d.profile().secrets.pop_back();
  });
}

void read_secret_source(Decoder& d, const Node& node) {
  Secret& secret = d.profile().secrets.back();
  if (d.read_text(node, secret.from)) secret.base = d.folder_of(node);
}

void read_secret_perm(Decoder& d, const Node& node) {
  read_octal(d, node, d.profile().secrets.back().perm);
}

void read_rlimits(Decoder& d, const Node& node) {
  d.each_entry(node, [&](const Node& entry) {
    const auto limit = std::ranges::find(rlimit_names(), entry.key, &RlimitName::name);
    if (limit != rlimit_names().end()) return read_one_rlimit(d, entry, *limit);
    std::vector<std::string_view> names;
    for (const RlimitName& known : rlimit_names()) names.push_back(known.name);
    const std::string_view near = nearest_name(entry.key, names);
    Node key;
    key.at = entry.key_at;
    d.complain(key,
               "unknown limit `" + printable(entry.key, 40) + "` in `limits.rlimits`" +
                   (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?"),
               "the names are those of setrlimit(2), lower case, without RLIMIT_");
  });
}

void read_arg_rules(Decoder& d, const Node& node) {
  if (node.replace) d.profile().seccomp.args.clear();
  d.each_item(node, [&](const Node& item) {
    d.profile().seccomp.args.emplace_back();
    const std::size_t before = d.problems();
    d.read_map(item, arg_rule_keys());
    if (d.problems() > before) return;
    for (const std::string_view key : {"call", "arg", "in"}) require_key(d, item, key);
  });
}

void read_arg_values(Decoder& d, const Node& node) {
  if (node.kind == NodeKind::list && node.children.empty())
    d.complain(node, d.subject() + " is empty", "to deny the call altogether, put it under `deny`");
  d.each_item(node, [&](const Node& item) { read_one_value(d, item); });
}

void read_capabilities(Decoder& d, const Node& node) {
  if (node.replace) d.profile().capabilities.clear();
  d.each_item(node, [&](const Node& item) {
    std::string name;
    if (!d.read_text(item, name)) return;
    const std::string_view known = capability_named(name);
    d.profile().capabilities.push_back(known.empty() ? std::move(name) : std::string(known));
  });
}

void read_stdin(Decoder& d, const Node& node) {
  std::string& input = d.profile().stdio.input;
  if (node.kind == NodeKind::null) {  // `null` unquoted is YAML's own null, and means the same here
    input = "null";
    return;
  }
  if (!d.read_text(node, input)) return;
  if (input.empty()) d.complain(node, d.subject() + " must be inherit, null or a file");
  if (input != "inherit" && input != "null") input = resolve_path(d.folder_of(node), input);
}

}  // namespace sbx::profile
