#include "changes/tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>

#include "base/fixed_text.hpp"
#include "changes/look.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";

std::unexpected<Errno> fail() { return std::unexpected(Errno{errno}); }

/// The only name for what O_PATH gives that chmod(2) and setxattr(2) take (fchmodat2(2) came with
/// Linux 6.6).
class Named {
 public:
  static SysResult<Named> open(int folder, const std::string& name) {
    return Named(SBX_TRY(os::open_beneath(folder, name.c_str(), O_PATH | O_NOFOLLOW)));
  }
  [[nodiscard]] const char* path() const { return path_.c_str(); }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit Named(os::UniqueFd fd) : fd_(std::move(fd)) {
    path_.add("/proc/self/fd/").add(fd_.get());
  }
  os::UniqueFd fd_;
  FixedText<32> path_;
};

SysResult<bool> is_link(const Named& named) {
  struct ::stat what{};
  if (::fstat(named.fd(), &what) != 0) return fail();
  return S_ISLNK(what.st_mode);
}

SysResult<os::AttributeList> present_attributes(int folder, const std::string& name) {
  const auto file =
      os::open_beneath(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!file) return std::unexpected(file.error());
  return os::read_attributes(file->get(), false);
}

}  // namespace

void Workspace::forget() {
  folder_.reset();
  path_.clear();
}

SysResult<int> Workspace::open_folder(std::string_view path) {
  // On from where we are, when that is on the way: in a deep tree each step is one component.
  const bool on =
      folder_.valid() &&
      (path == path_ || (path.starts_with(path_) && path.substr(path_.size()).starts_with('/')));
  if (!on) forget();
  while (path_.size() < path.size()) {
    const std::size_t begin = path_.empty() ? 0 : path_.size() + 1;
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name(path.substr(begin, end - begin));
    auto next = os::open_beneath(folder_.valid() ? folder_.get() : top_, name.c_str(),
                                 O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!next) {
      forget();
      return std::unexpected(next.error());
    }
    folder_ = std::move(*next);
    path_ = path.substr(0, end);
  }
  return folder_.valid() ? folder_.get() : top_;
}

SysResult<Spot> Workspace::spot(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : path.substr(0, slash);
  return Spot{SBX_TRY(open_folder(folder)),
              std::string(path.substr(slash == std::string_view::npos ? 0 : slash + 1))};
}

SysResult<Entry> Workspace::look(std::string_view path) {
  const auto place = spot(path);
  if (!place && (place.error().value == ENOENT || place.error().value == ENOTDIR)) return Entry{};
  if (!place) return std::unexpected(place.error());
  return look_at(place->folder, place->name, Side::host);
}

SysResult<void> set_mode(int folder, const std::string& name, unsigned mode) {
  const Named named = SBX_TRY(Named::open(folder, name));
  if (SBX_TRY(is_link(named))) return std::unexpected(Errno{ELOOP});
  if (::chmod(named.path(), mode) != 0) return fail();
  return {};
}

SysResult<void> set_attributes(int folder, const std::string& name, const Entry& entry) {
  if (entry.kind != EntryKind::file && entry.kind != EntryKind::folder) return {};
  const os::AttributeList present = SBX_TRY(present_attributes(folder, name));
  if (present.empty() && entry.attributes.empty()) return {};
  const Named named = SBX_TRY(Named::open(folder, name));
  for (const auto& [key, value] : present)
    if (::removexattr(named.path(), key.c_str()) != 0) return fail();
  for (const Attribute& attribute : entry.attributes)
    if (::setxattr(named.path(), attribute.name.c_str(), attribute.value.data(),
                   attribute.value.size(), 0) != 0)
      return fail();
  return {};
}

SysResult<void> copy_access_list(int folder, const std::string& from, const std::string& to) {
  const Named old = SBX_TRY(Named::open(folder, from));
  char list[65536];
  const ssize_t size = ::getxattr(old.path(), kAccessList, list, sizeof list);
  if (size < 0) {
    if (errno == ENODATA || errno == EOPNOTSUPP) return {};
    return fail();
  }
  const Named file = SBX_TRY(Named::open(folder, to));
  if (::setxattr(file.path(), kAccessList, list, static_cast<std::size_t>(size), 0) != 0)
    return fail();
  return {};
}

}  // namespace sbx::changes
