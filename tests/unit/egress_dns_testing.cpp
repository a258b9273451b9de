// Queries and answers are taken apart by hand: a test that used our parsers would share their
// mistakes.
#include "egress_dns_testing.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace sbx::egress {
namespace {

os::UniqueFd connected(int type, const char* address, std::uint16_t port) {
  const bool v6 = std::string(address).contains(':');
  os::UniqueFd made(::socket(v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  const int done = v6 ? ::inet_pton(AF_INET6, address, &six.sin6_addr) == 1
                            ? ::connect(made.get(), reinterpret_cast<sockaddr*>(&six), sizeof six)
                            : 1
                   : ::inet_pton(AF_INET, address, &four.sin_addr) == 1
                       ? ::connect(made.get(), reinterpret_cast<sockaddr*>(&four), sizeof four)
                       : 1;
  REQUIRE((done == 0 || (done < 0 && errno == EINPROGRESS)));
  return made;
}

}  // namespace

void FakeResolver::resolve(const std::string& name, Done done) {
  if (const auto known = answers.find(name); known != answers.end())
    done(known->second);
  else
    open.emplace_back(name, std::move(done));
}

std::string query(const std::string& name, std::uint16_t type, std::uint16_t id) {
  std::string text{static_cast<char>(id >> 8U), static_cast<char>(id & 0xffU)};
  text += std::string("\1\0\0\1\0\0\0\0\0\0", 10);
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    text += static_cast<char>(end - at);
    text += name.substr(at, end - at);
    at = end + 1;
  }
  text += std::string("\0\0", 2) + static_cast<char>(type) + std::string("\0\1", 2);
  return text;
}

std::string framed(const std::string& text) {
  return std::string("\0", 1) + static_cast<char>(text.size()) + text;
}

Answer read_answer(const std::string& text, std::size_t asked) {
  const auto at16 = [&](std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(text.at(at))) << 8U |
           static_cast<unsigned char>(text.at(at + 1));
  };
  Answer answer{.id = at16(0), .code = at16(2) & 15U, .records = at16(6)};
  CHECK((at16(2) & 0x8000U) != 0);
  if (answer.records != 0) {
    answer.ttl = at16(asked + 6) << 16U | at16(asked + 8);
    answer.data = text.substr(asked + 12);
  }
  return answer;
}

DnsBed::DnsBed(bool v6) {
  REQUIRE(loop.open().has_value());
  for (const char* rule : {"good.example:443", "*.wild.example:*"})
    policy.allow.push_back(network::parse_rule(rule).value());
  resolver.answers["good.example"] = {
      .state = Resolved::State::found, .addresses = {network::v4(192, 0, 2, 1)}, .ttl = 30};
  os::UniqueFd udp = wildcard_datagrams(udp_port);
  os::UniqueFd tcp = loopback_socket(SOCK_STREAM, tcp_port);
  REQUIRE(::listen(tcp.get(), 64) == 0);
  service = std::make_unique<DnsService>(desk, v6);
  REQUIRE(service->start(std::move(udp), std::move(tcp)).has_value());
}

os::UniqueFd DnsBed::datagrams(const char* server) const {
  return connected(SOCK_DGRAM, server, udp_port);
}

os::UniqueFd DnsBed::stream() const { return connected(SOCK_STREAM, "127.0.0.1", tcp_port); }

std::string DnsBed::receive(int fd, std::size_t size) {
  std::string all;
  std::array<char, 4096> room{};
  bool over = false;
  REQUIRE(run_until(loop, [&] {
    const std::size_t wanted = size == 0 ? room.size() : std::min(size - all.size(), room.size());
    const auto got = ::recv(fd, room.data(), wanted, 0);
    if (got > 0) all.append(room.data(), static_cast<std::size_t>(got));
    over = got == 0;
    return over || (size == 0 ? !all.empty() : all.size() == size);
  }));
  return all;
}

Answer DnsBed::ask(const std::string& name, std::uint16_t type, const char* server) {
  const os::UniqueFd client = datagrams(server);
  const std::string text = query(name, type);
  REQUIRE(::send(client.get(), text.data(), text.size(), 0) > 0);
  return read_answer(receive(client.get()), text.size());
}

Answer DnsBed::receive_framed(int fd, std::size_t asked) {
  const std::string length = receive(fd, 2);
  REQUIRE(length.size() == 2);
  return read_answer(receive(fd, static_cast<unsigned char>(length[1])), asked);
}

bool DnsBed::closed(int fd, Nanos within) {
  std::array<char, 4096> room{};
  return run_until(
      loop,
      [&] {
        const auto got = ::recv(fd, room.data(), room.size(), 0);
        return got == 0 || (got < 0 && errno != EAGAIN);
      },
      within);
}

}  // namespace sbx::egress
