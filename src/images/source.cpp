#include "images/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "images/cannot.hpp"
#include "os/folder.hpp"

namespace sbx::images {
namespace {

constexpr std::uint64_t kMaxMembers = 100'000;
constexpr std::size_t kMaxLength = 4096;

Error absent(const std::string& name, int error) {
  return {.kind = ErrorKind::host,
          .what = "the image lacks " + quote(name.substr(0, 200)),
          .hint =
              "it is incomplete, or no image: an OCI layout, or an archive of `docker save` or "
              "`podman save`, is one",
          .sys_errno = error};
}

/// A place of its own for what was compressed; gone with its descriptor.
Result<os::UniqueFd> nameless_file(int folder) {
  constexpr const char* kName = "archive";
  os::UniqueFd file(::openat(folder, kName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.valid() && ::unlinkat(folder, kName, 0) == 0) return file;
  return std::unexpected(cannot("unpack the image", errno));
}

/// "./a//b" and "/a/b" are "a/b".
std::string member_name(std::string_view name) { return lexical_path("/", name).substr(1); }

}  // namespace

Result<Source> Source::open(int fd, int scratch, const Budget& budget) {
  Source source;
  source.fd_ = fd;
  struct ::stat what{};
  if (::fstat(fd, &what) != 0) return std::unexpected(absent("its file", errno));
  source.folder_ = S_ISDIR(what.st_mode);
  if (source.folder_) return source;
  if (SBX_TRY(is_compressed(fd))) {
    source.unpacked_ = SBX_TRY(nameless_file(scratch));
    Budget left = budget;
    SBX_CHECK(decompress(fd, source.unpacked_.get(), left));
    source.fd_ = source.unpacked_.get();
  }
  SBX_CHECK(list_members(source.fd_, kMaxMembers, [&source](const Member& member) {
    if (member.name.size() > kMaxLength || member.target.size() > kMaxLength) return;
    const std::string name = member_name(member.name);
    if (member.type == MemberType::file) source.members_[name] = {member.position, member.size};
    // A layer that two images share is a link in what older ones save: "../ID/layer.tar".
    if (member.type == MemberType::symlink)
      source.members_[name] = {
          0, 0, member_name("/" + name.substr(0, name.rfind('/') + 1) + member.target)};
    if (member.type == MemberType::hardlink)
      source.members_[name] = {0, 0, member_name(member.target)};
  }));
  return source;
}

Result<Source::Blob> Source::find(const std::string& name) const {
  Blob blob;
  if (!folder_) {
    auto found = members_.find(member_name(name));
    // One link, never a chain of them.
    if (found != members_.end() && !found->second.target.empty())
      found = members_.find(found->second.target);
    if (found == members_.end() || !found->second.target.empty())
      return std::unexpected(absent(name, ENOENT));
    blob.window = {fd_, found->second.position, found->second.size};
    return blob;
  }
  auto file = os::open_beneath(fd_, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return std::unexpected(absent(name, file.error().value));
  struct ::stat what{};
  if (::fstat(file->get(), &what) != 0 || !S_ISREG(what.st_mode))
    return std::unexpected(absent(name, EINVAL));
  blob.file = *std::move(file);
  blob.window = {blob.file.get(), 0, static_cast<std::uint64_t>(what.st_size)};
  return blob;
}

bool Source::has(const std::string& name) const { return find(name).has_value(); }

Result<std::string> Source::document(const std::string& name) const {
  const Blob blob = SBX_TRY(find(name));
  if (blob.window.size > kMaxDocument)
    return std::unexpected(Error{
        .kind = ErrorKind::host,
        .what = "the image's " + quote(name.substr(0, 200)) + " is too large for a document"});
  std::string text(blob.window.size, '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::pread(blob.window.fd, text.data() + at, text.size() - at,
                              static_cast<::off_t>(blob.window.offset + at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::unexpected(absent(name, n < 0 ? errno : EIO));
    at += static_cast<std::size_t>(n);
  }
  return text;
}

}  // namespace sbx::images
