// Names go through /proc/self/fd: a socket's path has room for 108 bytes only (unix(7)), and a
// folder that was checked and opened stays the same one.
#include "os/unix_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"

namespace sbx::os {
namespace {

constexpr int kBacklog = 16;

SysResult<struct sockaddr_un> address_of(int folder, const char* name) {
  struct ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto prefix = FixedText<32>().add("/proc/self/fd/").add(folder).add("/");
  const std::string_view file(name);
  // A 0 stays behind the path.
  if (prefix.view().size() + file.size() >= sizeof address.sun_path)
    return std::unexpected(Errno{ENAMETOOLONG});
  char* const rest = address.sun_path + prefix.view().copy(address.sun_path, prefix.view().size());
  file.copy(rest, file.size());
  return address;
}

const struct ::sockaddr* plain(const struct ::sockaddr_un& address) {
  return reinterpret_cast<const struct ::sockaddr*>(&address);
}

/// The user namespace of a process; nullopt: it is gone, or we may not look at it.
std::optional<ino_t> user_namespace(const char* process) {
  struct ::stat what{};
  const auto path = FixedText<48>().add("/proc/").add(process).add("/ns/user");
  if (::stat(path.c_str(), &what) != 0) return std::nullopt;
  return what.st_ino;
}

/// The peer's pidfd from the socket itself (Linux 6.5), or, before, from its pid.
UniqueFd peer_pidfd(int client, pid_t pid) {
#ifdef SO_PEERPIDFD
  constexpr int kPeerPidfd = SO_PEERPIDFD;
#else
  constexpr int kPeerPidfd = 77;  // asm-generic/socket.h; older headers do not have it
#endif
  int pidfd = -1;
  ::socklen_t size = sizeof pidfd;
  if (::getsockopt(client, SOL_SOCKET, kPeerPidfd, &pidfd, &size) == 0) return UniqueFd(pidfd);
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

SysResult<UniqueFd> listen_in(int folder, const char* name) {
  const struct ::sockaddr_un address = SBX_TRY(address_of(folder, name));
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.valid()) return fail();
  if (::bind(listener.get(), plain(address), sizeof address) != 0) return fail();
  if (::listen(listener.get(), kBacklog) != 0) {
    const Errno error{errno};
    ::unlinkat(folder, name, 0);
    return std::unexpected(error);
  }
  return listener;
}

SysResult<UniqueFd> accept_from(int listener) {
  UniqueFd client(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!client.valid()) return fail();
  return client;
}

SysResult<UniqueFd> connect_in(int folder, const char* name, std::chrono::milliseconds patience) {
  const struct ::sockaddr_un address = SBX_TRY(address_of(folder, name));
  UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!client.valid()) return fail();
  // Sending's limit is connecting's too (unix_stream_connect() in the kernel).
  const struct ::timeval limit{patience.count() / 1000, patience.count() % 1000 * 1000};
  for (const int which : {SO_SNDTIMEO, SO_RCVTIMEO})
    if (::setsockopt(client.get(), SOL_SOCKET, which, &limit, sizeof limit) != 0) return fail();
  if (::connect(client.get(), plain(address), sizeof address) != 0) return fail();
  return client;
}

bool peer_may_steer(int client) {
  struct ::ucred peer{};
  ::socklen_t size = sizeof peer;
  if (::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (peer.uid == 0) return true;  // no sandbox has host uid 0 in it
  if (peer.uid != ::geteuid()) return false;
  const UniqueFd alive = peer_pidfd(client, peer.pid);
  const auto ours = user_namespace("self");
  const auto theirs = user_namespace(FixedText<16>().add(peer.pid).c_str());
  // Only if it still lives was it that process, and not the next one with its pid.
  struct ::pollfd ended{alive.get(), POLLIN, 0};
  return alive.valid() && ours && theirs == ours && ::poll(&ended, 1, 0) == 0;
}

}  // namespace sbx::os
