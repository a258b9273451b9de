// The items of `mounts`: "SRC:DST[:ro|rw]", or a map with one of bind, tmpfs, file and copy.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "profile/special.hpp"

namespace sbx::profile {
namespace {

void set_source(Decoder& d, const Node& node, const std::string& source) {
  if (source.empty()) d.complain(node, d.subject() + ": the source is empty");
  if (source == "~" || source.starts_with("~/")) {
    d.complain(node, d.subject() + ": `~` stands for nothing here",
               "write ${env:HOME}" + printable(source.substr(1), 60));
  }
  auto& mount = d.profile().mounts.back().what;
  const auto set = [&](auto& what) {
    what.source = source;
    what.base = d.folder_of(node);
  };
  if (auto* const bind = std::get_if<BindMount>(&mount)) set(*bind);
  if (auto* const copy = std::get_if<CopyMount>(&mount)) set(*copy);
}

void read_short(Decoder& d, const Node& node) {
  d.profile().mounts.push_back({BindMount{}, node.at});
  std::string text;
  if (!d.read_text(node, text)) return;
  const std::vector<std::string_view> parts = split(text, ':');
  const bool mode = parts.size() == 3 && (parts[2] == "ro" || parts[2] == "rw");
  if (parts.size() < 2 || parts.size() > 3 || (parts.size() == 3 && !mode)) {
    std::string hint = "paths that contain a colon need the long form: {bind: SRC, at: DST}";
    if (parts.size() == 1)
      hint = text.starts_with('/')
                 ? "to show it where it is on the host: " + printable(text + ":" + text, 120)
                 : "say as well where it is to appear: " + printable(text, 60) + ":/DST";
    d.complain(
        node,
        d.subject() + ": `" + printable(text, 60) + "` is not SRC:DST, SRC:DST:ro or SRC:DST:rw",
        std::move(hint));
    return;
  }
  set_source(d, node, std::string(parts[0]));
  auto& bind = std::get<BindMount>(d.profile().mounts.back().what);
  bind.target = parts[1];
  bind.writable = mode && parts[2] == "rw";
}

struct Form {
  std::string_view name;
  std::span<const Key> keys;
};

void read_long(Decoder& d, const Node& node) {
  const std::array<Form, 4> forms{{{"bind", bind_keys()},
                                   {"tmpfs", tmpfs_keys()},
                                   {"file", file_keys()},
                                   {"copy", copy_keys()}}};
  std::size_t found = 0;
  Form form{};
  for (const Form& candidate : forms) {
    if (node.find(candidate.name) == nullptr) continue;
    ++found;
    form = candidate;
  }
  if (found != 1) {
    d.complain(
        node,
        d.subject() + (found == 0 ? " needs" : " can have only one of") +
            " `bind`, `tmpfs`, `file` " + (found == 0 ? "or" : "and") + " `copy`",
        "a mount is {bind: SRC, at: DST}, {tmpfs: DST, size: 64M}, {file: DST, content: TEXT} or "
        "{copy: SRC, at: DST}");
    return;
  }
  Mount mount{BindMount{}, node.at};
  if (form.name == "tmpfs") mount.what = TmpfsMount{};
  if (form.name == "file") mount.what = FileMount{};
  if (form.name == "copy") mount.what = CopyMount{};
  d.profile().mounts.push_back(std::move(mount));
  const std::size_t before = d.problems();
  d.read_map(node, form.keys);
  if (d.problems() > before) return;  // an unknown key is often the one that is missing
  const std::string_view needed = form.name == "tmpfs"  ? ""
                                  : form.name == "file" ? "content"
                                                        : "at";
  if (!needed.empty() && node.find(needed) == nullptr)
    d.complain(node, d.subject() + " needs `" + std::string(needed) + '`');
}

/// Doubled slashes would hide that two mounts have the same target.
void clean_target(Mount& mount) {
  std::visit(
      [](auto& what) {
        if (!what.target.empty()) what.target = clean_path(what.target);
      },
      mount.what);
}

}  // namespace

void read_mounts(Decoder& d, const Node& node) {
  if (node.replace) d.profile().mounts.clear();
  d.each_item(node, [&](const Node& item) {
    const std::size_t problems = d.problems();
    const std::size_t mounts = d.profile().mounts.size();
    if (item.kind == NodeKind::scalar) {
      read_short(d, item);
    } else if (item.kind == NodeKind::map) {
      read_long(d, item);
    } else {
      d.complain(item, d.subject() + " must be SRC:DST[:ro|rw] or a map, not " +
                           std::string(describe_kind(item)));
    }
    if (d.problems() == problems) {
      clean_target(d.profile().mounts.back());
    } else {
      d.profile().mounts.resize(mounts);  // half-read: the checks would only find consequences
    }
  });
}

void read_mount_source(Decoder& d, const Node& node) {
  std::string source;
  if (d.read_text(node, source)) set_source(d, node, source);
}

void read_perm(Decoder& d, const Node& node) {
  read_octal(d, node, std::get<FileMount>(d.profile().mounts.back().what).perm);
}

void read_octal(Decoder& d, const Node& node, unsigned& out) {
  const bool octal = node.kind == NodeKind::scalar &&
                     (node.text.size() == 3 || node.text.size() == 4) &&
                     std::ranges::all_of(node.text, [](char c) { return c >= '0' && c <= '7'; });
  if (octal && !node.quoted && !node.filled) {
    d.complain(node, d.subject() + ": `" + node.text + "` without quotes may be octal or decimal",
               std::string("write it in quotes: \"") + (node.text.size() == 3 ? "0" : "") +
                   node.text + '"');
    return;
  }
  if (!octal || (node.text.size() == 4 && node.text.front() != '0')) {
    d.complain(node,
               d.subject() +
                   " must be octal permissions in quotes, such as \"0444\", without set-id bits");
    return;
  }
  unsigned perm = 0;
  for (const char c : node.text) perm = perm * 8 + static_cast<unsigned>(c - '0');
  out = perm;
}

}  // namespace sbx::profile
