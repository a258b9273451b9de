#include "mcp/files.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "artifacts/media_type.hpp"
#include "base/base64.hpp"
#include "base/text.hpp"
#include "mcp/arguments.hpp"
#include "os/borrowed_rights.hpp"
#include "os/folder.hpp"
#include "redact/stream.hpp"
#include "supervise/redaction.hpp"

namespace sbx::mcp {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20U;
constexpr std::uint64_t kLargestImage = std::uint64_t{4} << 20U;
constexpr std::uint64_t kLargestForLines = std::uint64_t{64} << 20U;
constexpr std::uint64_t kAnySize = std::uint64_t{1} << 62U;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

Error at(std::string_view path, int error) {
  Error out{.kind = ErrorKind::usage, .what = "cannot use " + quote(path), .sys_errno = error};
  if (error == ELOOP) out.hint = "a symbolic link is on the way, and none is followed";
  if (error == EXDEV) out.hint = "it leads out of the workspace, or to another mount";
  if (error == EACCES) out.hint = "commands may not do that either";
  return out;
}

Result<std::string> read_range(int fd, std::uint64_t from, std::uint64_t most,
                               std::string_view path) {
  std::string bytes(most, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n =
        ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<::off_t>(from + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(at(path, errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

struct Part {
  std::uint64_t offset = 0;
  std::uint64_t length = kMostAtOnce;
};

/// Where `lines` lines from the line `first` (from 1) on lie.
Result<Part> find_lines(int fd, std::uint64_t size, std::uint64_t first, std::uint64_t lines,
                        std::string_view path) {
  if (size > kLargestForLines)
    return std::unexpected(Error{.kind = ErrorKind::usage,
                                 .what = quote(path) + " is too large to count its lines",
                                 .hint = "use offset and length"});
  const std::string all = SBX_TRY(read_range(fd, 0, size, path));
  std::size_t begin = 0;
  for (std::uint64_t line = 1; line < first && begin < all.size(); ++line) {
    const std::size_t end = all.find('\n', begin);
    begin = end == std::string::npos ? all.size() : end + 1;
  }
  std::size_t end = begin;
  for (std::uint64_t line = 0; line < lines && end < all.size(); ++line) {
    const std::size_t next = all.find('\n', end);
    end = next == std::string::npos ? all.size() : next + 1;
  }
  return Part{begin, std::min<std::uint64_t>(end - begin, kMostAtOnce)};
}

/// So that a text is cut between two characters.
void drop_half_character(std::string& bytes, bool more) {
  const std::size_t broken = find_invalid_utf8(bytes);
  constexpr std::size_t kLongestCharacter = 4;
  if (more && broken != std::string::npos && bytes.size() - broken < kLongestCharacter)
    bytes.resize(broken);
}

struct OpenFile {
  os::UniqueFd fd;
  std::uint64_t size = 0;
};

Result<OpenFile> open_file(const Workspace& workspace, const std::string& path) {
  const std::string name = SBX_TRY(workspace.relative(path));
  if (name.empty()) return std::unexpected(at(path, EISDIR));
  os::BorrowedRights theirs(workspace.rights());
  if (const auto taken = theirs.take(); !taken)
    return std::unexpected(at(path, taken.error().value));
  auto file = os::open_beneath(workspace.folder(), name.c_str(), kRead);
  if (!file) return std::unexpected(at(path, file.error().value));
  struct ::stat what{};
  if (::fstat(file->get(), &what) != 0) return std::unexpected(at(path, errno));
  if (S_ISDIR(what.st_mode)) return std::unexpected(at(path, EISDIR));
  if (!S_ISREG(what.st_mode))
    return std::unexpected(
        Error{.kind = ErrorKind::usage, .what = quote(path) + " is no plain file"});
  return OpenFile{std::move(*file), static_cast<std::uint64_t>(what.st_size)};
}

/// "image/png" of a file that is one, and not too large to be shown; else "".
Result<std::string> image_type(const OpenFile& file, const std::string& path,
                               const Workspace& workspace) {
  constexpr std::uint64_t kHead = 4096;
  if (file.size > kLargestImage) return std::string();
  const std::string head = SBX_TRY(read_range(file.fd.get(), 0, kHead, path));
  // Text is by far the most frequent, and libmagic is a process.
  if (is_utf8(head)) return std::string();
  const std::string type = artifacts::MediaTypes(workspace.rights()).of(head);
  return is_image(type) ? type : std::string();
}

/// `bytes` of the file, from `offset` on. Of a secret that the client cuts in two neither half is
/// to be seen.
Result<std::string> masked(const OpenFile& file, const std::string& path, std::string bytes,
                           std::uint64_t offset, const supervise::Redactor& redactor) {
  if (redactor == nullptr || bytes.empty()) return bytes;
  const std::uint64_t before = std::min<std::uint64_t>(offset, redact::kAround);
  const std::uint64_t end = offset + bytes.size();
  std::string around = SBX_TRY(read_range(file.fd.get(), offset - before, before, path));
  around += bytes;  // as they were read, whoever writes to the file meanwhile
  around += SBX_TRY(read_range(file.fd.get(), end, redact::kAround, path));
  return supervise::redacted_part(redactor, around, before, before + bytes.size());
}

Result<Answer> read_part(const OpenFile& file, const std::string& path, Part part,
                         const supervise::Redactor& redactor) {
  part.length = std::min(part.length, kMostAtOnce);
  std::string bytes =
      part.offset >= file.size
          ? std::string()
          : SBX_TRY(read_range(file.fd.get(), part.offset,
                               std::min(part.length, file.size - part.offset), path));
  drop_half_character(bytes, part.offset + bytes.size() < file.size);
  Answer answer;
  answer.data = {{"path", path},
                 {"size", file.size},
                 {"offset", part.offset},
                 {"bytes", bytes.size()},
                 {"whole", bytes.size() == file.size}};
  put_bytes(answer.data, SBX_TRY(masked(file, path, std::move(bytes), part.offset, redactor)));
  std::string shown = answer.data.contains("text") ? answer.data["text"].get<std::string>()
                                                   : answer.data["base64"].get<std::string>();
  answer.add_text(std::move(shown));
  if (!answer.data["whole"].get<bool>())
    answer.add_text("bytes " + std::to_string(part.offset) + " to " +
                    std::to_string(part.offset + answer.data["bytes"].get<std::uint64_t>()) +
                    " of " + std::to_string(file.size));
  return answer;
}

Result<Answer> read_image(const OpenFile& file, const std::string& path, const std::string& type,
                          const supervise::Redactor& redactor) {
  const std::string bytes = SBX_TRY(read_range(file.fd.get(), 0, file.size, path));
  Answer answer;
  answer.data = {{"path", path},          {"size", file.size}, {"offset", 0},
                 {"bytes", bytes.size()}, {"whole", true},     {"media_type", type}};
  answer.add_image(supervise::redacted(redactor, bytes), type);
  return answer;
}

Result<Answer> read_with(const Json& given, const Workspace& workspace,
                         const supervise::Redactor& redactor) {
  Arguments arguments(given);
  const std::string path = arguments.needed_text("path");
  const auto first = arguments.number("first_line", 1, kAnySize);
  const auto lines = arguments.number("lines", 1, kAnySize);
  const auto offset = arguments.number("offset", 0, kAnySize);
  const auto length = arguments.number("length", 1, kAnySize);
  if ((first || lines) && (offset || length))
    arguments.add_mistake("first_line and lines do not go together with offset and length");
  if (const auto wrong = arguments.mistake()) return failure(*wrong);
  const OpenFile file = SBX_TRY(open_file(workspace, path));
  if (first || lines)
    return read_part(file, path,
                     SBX_TRY(find_lines(file.fd.get(), file.size, first.value_or(1),
                                        lines.value_or(kAnySize), path)),
                     redactor);
  if (!offset && !length) {
    const std::string type = SBX_TRY(image_type(file, path, workspace));
    if (!type.empty()) return read_image(file, path, type, redactor);
  }
  return read_part(file, path, {offset.value_or(0), length.value_or(kMostAtOnce)}, redactor);
}

Answer settled(Result<Answer> answer) {
  return answer ? std::move(*answer) : failure(answer.error());
}

}  // namespace

Answer read_file(const Json& arguments, const Workspace& workspace,
                 const supervise::Redactor& redactor) {
  return settled(read_with(arguments, workspace, redactor));
}

}  // namespace sbx::mcp
