#include "images/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "images/cannot.hpp"

namespace sbx::images {
namespace {

constexpr std::size_t kPiece = 65536;

struct Close {
  void operator()(::archive* reader) const { (void)::archive_read_free(reader); }
};
using Reader = std::unique_ptr<::archive, Close>;

Error wrong(::archive* reader, std::string_view what) {
  const char* const why = ::archive_error_string(reader);
  return {.kind = ErrorKind::host,
          .what = std::string(what) + ": " + printable(why == nullptr ? "damaged" : why)};
}

/// What is in a file or a part of it, digested on its way to libarchive.
struct Stored {
  Window window;
  Sha256 sum{};
  std::array<char, kPiece> buffer{};

  static la_ssize_t read(::archive* reader, void* self, const void** bytes) {
    Stored& from = *static_cast<Stored*>(self);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, from.window.size));
    ssize_t got = 0;
    do {
      got = ::pread(from.window.fd, from.buffer.data(), wanted,
                    static_cast<::off_t>(from.window.offset));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      ::archive_set_error(reader, errno, "cannot read the image");
      return ARCHIVE_FATAL;
    }
    const auto size = static_cast<std::size_t>(got);
    from.window.offset += size;
    from.window.size -= size;
    from.sum.put({from.buffer.data(), size});
    *bytes = from.buffer.data();
    return got;
  }
};

/// The bytes within: libarchive's "raw" format, after its filters.
Result<Reader> open_raw(Stored& stored) {
  Reader reader(::archive_read_new());
  ::archive* const raw = reader.get();
  if (raw == nullptr || ::archive_read_support_filter_gzip(raw) != ARCHIVE_OK ||
      ::archive_read_support_filter_zstd(raw) != ARCHIVE_OK ||
      ::archive_read_support_format_raw(raw) != ARCHIVE_OK ||
      ::archive_read_support_format_empty(raw) != ARCHIVE_OK)
    return std::unexpected(Error{.kind = ErrorKind::internal, .what = "libarchive lacks a format"});
  if (::archive_read_open(raw, &stored, nullptr, &Stored::read, nullptr) != ARCHIVE_OK)
    return std::unexpected(wrong(raw, "a layer cannot be decompressed"));
  ::archive_entry* ignored = nullptr;
  const int code = ::archive_read_next_header(raw, &ignored);
  if (code != ARCHIVE_OK && code != ARCHIVE_EOF)
    return std::unexpected(wrong(raw, "a layer cannot be decompressed"));
  return reader;
}

constexpr const char* kTooMuch = "it has more bytes than `max` of `root` allows";

/// What has been decompressed, digested and counted on its way to the tar reader.
struct Unpacked {
  ::archive* raw = nullptr;
  Budget* budget = nullptr;
  Sha256 sum{};

  /// 0 at the end, ARCHIVE_FATAL with the reason at `teller`.
  la_ssize_t take(::archive* teller, const void** bytes) {
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int code = ::archive_read_data_block(raw, bytes, &size, &offset);
    if (code == ARCHIVE_EOF) return 0;
    if (code != ARCHIVE_OK) {
      const char* const why = ::archive_error_string(raw);
      ::archive_set_error(teller, EIO, "%s", why == nullptr ? "damaged" : why);
      return ARCHIVE_FATAL;
    }
    if (size > budget->bytes) {
      ::archive_set_error(teller, EFBIG, "%s", kTooMuch);
      return ARCHIVE_FATAL;
    }
    budget->bytes -= size;
    sum.put({static_cast<const char*>(*bytes), size});
    return static_cast<la_ssize_t>(size);
  }
  static la_ssize_t read(::archive* reader, void* self, const void** bytes) {
    return static_cast<Unpacked*>(self)->take(reader, bytes);
  }
};

/// Names are bytes. What libarchive cannot convert to the "C" locale's characters, which is all
/// that there is here, it leaves as it is, with a warning.
Result<Reader> new_tar() {
  Reader reader(::archive_read_new());
  ::archive* const tar = reader.get();
  if (tar == nullptr || ::archive_read_support_format_tar(tar) != ARCHIVE_OK ||
      ::archive_read_support_format_empty(tar) != ARCHIVE_OK)
    return std::unexpected(Error{.kind = ErrorKind::internal, .what = "libarchive lacks tar"});
  return reader;
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

MemberType type_of(::archive_entry* entry) {
  if (::archive_entry_hardlink(entry) != nullptr) return MemberType::hardlink;
  switch (::archive_entry_filetype(entry)) {
    case AE_IFREG:
      return MemberType::file;
    case AE_IFDIR:
      return MemberType::folder;
    case AE_IFLNK:
      return MemberType::symlink;
    default:
      return MemberType::other;
  }
}

/// The next member; false at the end.
Result<bool> next_member(::archive* tar, Member& member) {
  ::archive_entry* entry = nullptr;
  const int code = ::archive_read_next_header(tar, &entry);
  if (code == ARCHIVE_EOF) return false;
  if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
    return std::unexpected(wrong(tar, "the image's archive is damaged"));
  member.type = type_of(entry);
  member.name = text_or_empty(::archive_entry_pathname(entry));
  member.target =
      text_or_empty(member.type == MemberType::hardlink ? ::archive_entry_hardlink(entry)
                                                        : ::archive_entry_symlink(entry));
  member.mode = static_cast<unsigned>(::archive_entry_perm(entry));
  const la_int64_t size = ::archive_entry_size(entry);
  if (member.name.empty() || size < 0)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "the image's archive has an entry without a name or size"});
  member.size = static_cast<std::uint64_t>(size);
  member.modified = ::archive_entry_mtime(entry);
  member.modified_ns =
      static_cast<std::uint32_t>(std::clamp(::archive_entry_mtime_nsec(entry), 0L, 999'999'999L));
  member.position = static_cast<std::uint64_t>(::archive_filter_bytes(tar, 0));
  return true;
}

/// What some tools make of a tar archive, and we do not read.
std::string unread_compression(int fd) {
  std::string magic(6, '\0');  // what cannot be read stays so
  (void)!::pread(fd, magic.data(), magic.size(), 0);
  if (magic.substr(1).starts_with("7zXZ")) return "xz";
  if (magic.starts_with("BZh")) return "bzip2";
  return {};
}

Error no_archive(::archive* tar, int fd) {
  Error error = wrong(tar, "the image is no tar archive");
  error.hint = "one may be plain, or compressed by gzip or zstd";
  if (const std::string tool = unread_compression(fd); !tool.empty())
    error.hint += "; decompress this one before: " + tool + " -d";
  return error;
}

}  // namespace

Result<void> take_entry(Budget& budget) {
  if (budget.entries == 0)
    return std::unexpected(
        Error{.kind = ErrorKind::host, .what = "the image has too many files and folders"});
  --budget.entries;
  return {};
}

struct LayerReader::State {
  Stored stored;
  Reader raw{};
  Unpacked unpacked{};
  Reader tar{};
};

LayerReader::LayerReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LayerReader::LayerReader(LayerReader&&) noexcept = default;
LayerReader::~LayerReader() = default;

Result<LayerReader> LayerReader::open(const Window& window, Budget& budget) {
  auto state = std::make_unique<State>();
  state->stored.window = window;
  state->raw = SBX_TRY(open_raw(state->stored));
  state->unpacked.raw = state->raw.get();
  state->unpacked.budget = &budget;
  state->tar = SBX_TRY(new_tar());
  if (::archive_read_open(state->tar.get(), &state->unpacked, nullptr, &Unpacked::read, nullptr) !=
      ARCHIVE_OK)
    return std::unexpected(wrong(state->tar.get(), "a layer is no tar archive"));
  return LayerReader(std::move(state));
}

Result<bool> LayerReader::next(Member& member) {
  if (!SBX_TRY(next_member(state_->tar.get(), member))) return false;
  SBX_CHECK(take_entry(*state_->unpacked.budget));
  return true;
}

Result<bool> LayerReader::data(std::string_view& bytes, std::uint64_t& offset) {
  const void* block = nullptr;
  std::size_t size = 0;
  la_int64_t at = 0;
  const int code = ::archive_read_data_block(state_->tar.get(), &block, &size, &at);
  if (code == ARCHIVE_EOF) return false;
  if (code != ARCHIVE_OK || at < 0)
    return std::unexpected(wrong(state_->tar.get(), "the image's archive is damaged"));
  bytes = {static_cast<const char*>(block), size};
  offset = static_cast<std::uint64_t>(at);
  return true;
}

Result<void> LayerReader::finish() {
  ::archive* const tar = state_->tar.get();
  const void* bytes = nullptr;
  for (la_ssize_t got = 1; got != 0;) {
    got = state_->unpacked.take(tar, &bytes);
    if (got < 0) return std::unexpected(wrong(tar, "a layer is damaged"));
  }
  for (la_ssize_t got = 1; got != 0;) {
    got = Stored::read(tar, &state_->stored, &bytes);
    if (got < 0) return std::unexpected(wrong(tar, "a layer is damaged"));
  }
  return {};
}

std::string LayerReader::digest() const { return state_->stored.sum.hex(); }
std::string LayerReader::unpacked_digest() const { return state_->unpacked.sum.hex(); }

Result<void> list_members(int fd, std::uint64_t max_members,
                          const std::function<void(const Member&)>& see) {
  const Reader tar = SBX_TRY(new_tar());
  if (::lseek(fd, 0, SEEK_SET) < 0 || ::archive_read_open_fd(tar.get(), fd, kPiece) != ARCHIVE_OK)
    return std::unexpected(no_archive(tar.get(), fd));
  for (Member member; SBX_TRY(next_member(tar.get(), member));) {
    if (max_members-- == 0)
      return std::unexpected(
          Error{.kind = ErrorKind::host, .what = "the image's archive has too many members"});
    see(member);
  }
  return {};
}

Result<bool> is_compressed(int fd) {
  std::array<unsigned char, 4> magic{};
  const ssize_t got = ::pread(fd, magic.data(), magic.size(), 0);
  if (got < 0)
    return std::unexpected(
        Error{.kind = ErrorKind::host, .what = "the image cannot be read", .sys_errno = errno});
  // gzip (RFC 1952), zstd (RFC 8878).
  return got == 4 &&
         ((magic[0] == 0x1f && magic[1] == 0x8b) ||
          (magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd));
}

Result<void> decompress(int fd, int to, Budget& budget) {
  struct ::stat what{};
  if (::fstat(fd, &what) != 0)
    return std::unexpected(
        Error{.kind = ErrorKind::host, .what = "the image cannot be read", .sys_errno = errno});
  auto stored = std::make_unique<Stored>();
  stored->window = {fd, 0, static_cast<std::uint64_t>(what.st_size)};
  const Reader raw = SBX_TRY(open_raw(*stored));
  Unpacked unpacked{raw.get(), &budget};
  for (;;) {
    const void* bytes = nullptr;
    const la_ssize_t got = unpacked.take(raw.get(), &bytes);
    if (got == 0) return {};
    if (got < 0) return std::unexpected(wrong(raw.get(), "the image's archive is damaged"));
    std::string_view left(static_cast<const char*>(bytes), static_cast<std::size_t>(got));
    while (!left.empty()) {
      const ssize_t n = ::write(to, left.data(), left.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return std::unexpected(cannot("unpack the image", errno));
      left.remove_prefix(static_cast<std::size_t>(n));
    }
  }
}

}  // namespace sbx::images
