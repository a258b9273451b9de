#include "egress/own_addresses.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/fail.hpp"
#include "network/carried.hpp"
#include "os/fd.hpp"

namespace sbx::egress {
namespace {

struct Question {
  ::nlmsghdr header{};
  ::rtmsg route{};
  ::rtattr attribute{};
  std::array<std::uint8_t, 16> address{};
};

Question question_for(const network::Address& address) {
  const bool v4 = address.is_v4();
  const std::size_t size = v4 ? 4 : 16;
  Question question;
  question.route.rtm_family = v4 ? AF_INET : AF_INET6;
  question.route.rtm_dst_len = static_cast<unsigned char>(size * 8);
  question.attribute.rta_type = RTA_DST;
  question.attribute.rta_len = static_cast<unsigned short>(RTA_LENGTH(size));
  std::memcpy(question.address.data(), address.bytes.data() + (v4 ? 12 : 0), size);
  question.header.nlmsg_type = RTM_GETROUTE;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.header.nlmsg_len = static_cast<unsigned>(offsetof(Question, address) + size);
  return question;
}

/// What connect(2) to it would say at once; nobody answers there.
bool leads_nowhere(int error) {
  return error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES || error == EINVAL ||
         error == EAFNOSUPPORT || error == EOPNOTSUPP;
}

SysResult<bool> stays_here(const network::Address& address) {
  const os::UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket.valid()) return fail();
  const Question question = question_for(address);
  ::sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (::sendto(socket.get(), &question, question.header.nlmsg_len, 0,
               reinterpret_cast<const ::sockaddr*>(&kernel), sizeof kernel) < 0)
    return fail();
  alignas(::nlmsghdr) std::array<char, 4096> answer{};
  const ssize_t size = ::recv(socket.get(), answer.data(), answer.size(), 0);
  if (size < 0) return fail();
  ::nlmsghdr header{};
  if (static_cast<std::size_t>(size) < sizeof header) return std::unexpected(Errno{EPROTO});
  std::memcpy(&header, answer.data(), sizeof header);
  const char* const body = answer.data() + NLMSG_HDRLEN;
  const std::size_t left = static_cast<std::size_t>(size) - NLMSG_HDRLEN;
  if (header.nlmsg_type == NLMSG_ERROR && left >= sizeof(::nlmsgerr)) {
    ::nlmsgerr error{};
    std::memcpy(&error, body, sizeof error);
    if (leads_nowhere(-error.error)) return false;
    return std::unexpected(Errno{error.error < 0 ? -error.error : EPROTO});
  }
  if (header.nlmsg_type != RTM_NEWROUTE || left < sizeof(::rtmsg))
    return std::unexpected(Errno{EPROTO});
  ::rtmsg route{};
  std::memcpy(&route, body, sizeof route);
  return route.rtm_type != RTN_UNICAST;
}

}  // namespace

SysResult<bool> is_own_address(const network::Address& address) {
  for (const network::Address& carried : network::carried_by(address))
    if (SBX_TRY(stays_here(carried))) return true;
  return stays_here(address);
}

}  // namespace sbx::egress
