#include "os/thread_memory.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

#include "base/fixed_text.hpp"

namespace sbx::os {
namespace {

/// 127.0.0.0/8, and 0.0.0.0.
bool is_loopback4(const unsigned char* bytes) {
  constexpr unsigned char kNone[4] = {};
  return bytes[0] == 127 || std::memcmp(bytes, kNone, sizeof kNone) == 0;
}

bool read_whole(pid_t thread, std::uint64_t address, void* into, std::size_t size) {
  const ::iovec here{into, size};
  // An address of another process, which is never followed here.
  const ::iovec there{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  const ssize_t got = ::process_vm_readv(thread, &here, 1, &there, 1, 0);
  return got >= 0 && static_cast<std::size_t>(got) == size;
}

}  // namespace

std::optional<std::string> thread_text(pid_t thread, std::uint64_t address) {
  // A piece never reaches over a page's end: the next page may be none of the thread's.
  constexpr std::uint64_t kPage = 4096;
  std::string text;
  std::array<char, kPage> piece{};
  while (text.size() < PATH_MAX) {
    const std::uint64_t at = address + text.size();
    const std::size_t most = kPage - at % kPage;
    const ::iovec here{piece.data(), most};
    // An address of another process, which is never followed here.
    const ::iovec there{reinterpret_cast<void*>(at), most};  // NOLINT(performance-no-int-to-ptr)
    const ssize_t got = ::process_vm_readv(thread, &here, 1, &there, 1, 0);
    if (got <= 0) return std::nullopt;
    const auto size = static_cast<std::size_t>(got);
    const void* const end = std::memchr(piece.data(), 0, size);
    if (end != nullptr)
      return text.append(piece.data(),
                         static_cast<std::size_t>(static_cast<const char*>(end) - piece.data()));
    text.append(piece.data(), size);
  }
  return std::nullopt;
}

std::optional<std::string> thread_folder(pid_t thread, int fd) {
  auto link = FixedText<64>().add("/proc/").add(thread);
  if (fd == AT_FDCWD)
    link.add("/cwd");
  else
    link.add("/fd/").add(fd);
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
  if (length <= 0 || static_cast<std::size_t>(length) == text.size() || text[0] != '/')
    return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(length));
}

std::optional<NamedAddress> thread_address(pid_t thread, std::uint64_t address,
                                           std::uint64_t size) {
  constexpr std::uint64_t kLeast6 = 24;  // without a scope (SIN6_LEN_RFC2133 in the kernel)
  if (size < sizeof(::sockaddr_in)) return std::nullopt;
  ::sockaddr_in6 six{};
  const std::size_t most = std::min<std::size_t>(size, sizeof six);
  if (!read_whole(thread, address, &six, most)) return std::nullopt;
  const ::in6_addr& where = six.sin6_addr;
  if (six.sin6_family == AF_INET6 && most >= kLeast6) {
    const bool four = IN6_IS_ADDR_V4MAPPED(&where);
    const bool here_inside = IN6_IS_ADDR_LOOPBACK(&where) || IN6_IS_ADDR_UNSPECIFIED(&where);
    return NamedAddress{AF_INET6, ntohs(six.sin6_port),
                        four ? is_loopback4(where.s6_addr + 12) : here_inside};
  }
  if (six.sin6_family != AF_INET) return std::nullopt;
  ::sockaddr_in named{};
  std::memcpy(&named, &six, sizeof named);
  unsigned char bytes[4];
  std::memcpy(bytes, &named.sin_addr, sizeof bytes);
  return NamedAddress{AF_INET, ntohs(named.sin_port), is_loopback4(bytes)};
}

std::optional<NamedAddress> thread_message_address(pid_t thread, std::uint64_t message) {
  ::msghdr named{};
  if (!read_whole(thread, message, &named, sizeof named)) return std::nullopt;
  return thread_address(thread, reinterpret_cast<std::uint64_t>(named.msg_name), named.msg_namelen);
}

}  // namespace sbx::os
