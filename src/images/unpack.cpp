#include "images/unpack.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "base/lexical_path.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "images/account.hpp"
#include "images/cannot.hpp"
#include "images/kept_image.hpp"
#include "images/source.hpp"
#include "images/tree_writer.hpp"
#include "os/whole_file.hpp"

namespace sbx::images {
namespace {

constexpr std::uint64_t kMaxEntries = 1'000'000;
constexpr std::size_t kMaxAccounts = std::size_t{1} << 20U;
/// With the layout of what is unpacked; a change to that makes it another image.
constexpr std::string_view kVersion = "sbx-image-1";

/// The image's name in the store: its defaults and what is in its layers, in whatever form it came.
std::string store_name(const Found& found) {
  std::string text(kVersion);
  text += "\n" + found.config_digest;
  for (const std::string& id : found.config.diff_ids) text += "\n" + id;
  return sha256_hex(text);
}

Error differs(const std::string& layer) {
  return {
      .kind = ErrorKind::host,
      .what = "a layer of the image is not what its digest says: " + quote(layer.substr(0, 100)),
      .hint = "the image is damaged, or somebody has changed it: get it again"};
}

Result<void> apply_layer(const Source& source, const Found& found, std::size_t index,
                         TreeWriter& tree, Budget& budget) {
  const std::string& name = found.layers[index];
  const auto blob = SBX_TRY(source.find(name));
  LayerReader layer = SBX_TRY(LayerReader::open(blob.window, budget));
  tree.begin_layer();
  for (Member member; SBX_TRY(layer.next(member));) SBX_CHECK(tree.put(member, layer));
  SBX_CHECK(layer.finish());
  const std::string& stored = found.digests[index];
  if ((!stored.empty() && stored != layer.digest()) ||
      layer.unpacked_digest() != found.config.diff_ids[index])
    return std::unexpected(differs(name));
  return {};
}

/// "" where there is none that could be read.
std::string account_file(int root, const char* path) {
  const auto file = open_in_root(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct ::stat what{};
  if (!file || ::fstat(file->get(), &what) != 0 || !S_ISREG(what.st_mode)) return "";
  std::string text(std::min<std::size_t>(kMaxAccounts, static_cast<std::size_t>(what.st_size)),
                   '\0');
  const ssize_t got = ::pread(file->get(), text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

/// Places that a run mounts on, which engines make as well: files with the host's names, and the
/// folder to start in. Where the image has a file for that, or a link that leads nowhere, it stays:
/// a run may start elsewhere, and one that does not is told at its chdir(2).
Result<void> make_places(TreeWriter& tree, const Config& config) {
  for (const char* path : {"etc/hostname", "etc/hosts", "etc/resolv.conf"}) {
    const EntryName name = SBX_TRY(plain_name(path));
    SBX_CHECK(tree.make_file(name));
  }
  const EntryName workdir = SBX_TRY(plain_name(lexical_path("/", config.workdir)));
  auto made = tree.make_folder(workdir);
  const int error = made ? 0 : made.error().sys_errno;
  if (error == EEXIST || error == ENOTDIR || error == ELOOP) return {};
  return made;
}

Result<void> write_kept(int staging, const std::string& text) {
  const os::UniqueFd file(
      ::openat(staging, kImageFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return std::unexpected(cannot("write what is kept of the image", errno));
  if (const auto written = os::write_all(file.get(), text); !written)
    return std::unexpected(cannot("write what is kept of the image", written.error().value));
  return {};
}

}  // namespace

Result<void> unpack(const UnpackRequest& request,
                    const std::function<bool(const std::string&)>& wanted) {
  struct ::utsname machine{};
  if (::uname(&machine) != 0) return std::unexpected(cannot("tell what machine this is", errno));
  Budget budget{request.max_bytes, kMaxEntries};
  const Source source = SBX_TRY(Source::open(request.source, request.staging, budget));
  const Found found = SBX_TRY(find_image(source, request.ref, architecture_of(machine.machine)));
  if (!wanted(store_name(found))) return {};
  if (::mkdirat(request.staging, kRootName, 0755) != 0)
    return std::unexpected(cannot("make a folder for the image", errno));
  const os::UniqueFd root(
      ::openat(request.staging, kRootName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root.valid()) return std::unexpected(cannot("open the image's folder", errno));
  TreeWriter tree(root.get(), request.max_bytes, budget);
  for (std::size_t i = 0; i < found.layers.size(); ++i)
    SBX_CHECK(apply_layer(source, found, i, tree, budget));
  SBX_CHECK(make_places(tree, found.config));

  const Account account = find_account(found.config.user, account_file(root.get(), "etc/passwd"),
                                       account_file(root.get(), "etc/group"));
  KeptImage kept;
  kept.facts = {.unpacked = true,
                .env = found.config.env,
                .workdir = found.config.workdir,
                .command = found.config.command,
                .uid = account.uid,
                .gid = account.gid,
                .user = printable(found.config.user, 80),
                .user_problem = account.problem};
  kept.config_digest = found.config_digest;
  kept.bytes = tree.bytes();
  kept.left_out = tree.left_out();
  return write_kept(request.staging, to_text(kept));
}

}  // namespace sbx::images
