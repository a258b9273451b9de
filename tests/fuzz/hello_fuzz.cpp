// libFuzzer target: any bytes as what a TLS client sends first. The verdict does not depend on the
// cut, nor on how the message lies in records; and another reader finds the same name, once.
#include <string>
#include <vector>

#include "promise.hpp"
#include "protocol/client_hello.hpp"

namespace {

using namespace sbx::protocol;
using sbx::fuzz::require;
using State = ServerName::State;
using Data = std::vector<std::uint8_t>;

bool same(const ServerName& a, const ServerName& b) {
  return a.state == b.state && a.name == b.name && a.encrypted == b.encrypted;
}

/// What all records carry, one after the other.
Data payload(const Data& start) {
  Data out;
  for (std::size_t at = 0; at + 5 <= start.size();) {
    const std::size_t end = std::min(start.size(), at + 5 + (start[at + 3] << 8U | start[at + 4]));
    for (std::size_t i = at + 5; i < end; ++i) out.push_back(start[i]);
    at = end;
  }
  return out;
}

std::size_t number(const Data& data, std::size_t at, std::size_t width) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = value << 8U | data.at(at + i);
  return value;
}

/// By arithmetic on one array, for a message that was taken; all names of all extensions 0.
std::vector<std::string> names_in(const Data& message) {
  std::vector<std::string> names;
  const std::size_t end = 4 + number(message, 1, 3);
  std::size_t at = 4 + 2 + 32;
  at += 1 + number(message, at, 1);
  at += 2 + number(message, at, 2);
  at += 1 + number(message, at, 1);
  if (at == end) return names;
  require(at + 2 + number(message, at, 2) == end);
  for (at += 2; at < end; at += 4 + number(message, at + 2, 2)) {
    if (number(message, at, 2) != 0) continue;
    const std::size_t list_end = at + 4 + number(message, at + 2, 2);
    for (std::size_t in = at + 6; in < list_end; in += 3 + number(message, in + 1, 2)) {
      std::string name;
      for (std::size_t i = 0; i < number(message, in + 1, 2); ++i)
        name += static_cast<char>(message.at(in + 3 + i));
      names.push_back(name);
    }
  }
  require(at == end);
  return names;
}

void check_verdict(const Data& start, const ServerName& verdict) {
  require(verdict.name.empty() == (verdict.state != State::found));
  if (verdict.state != State::found && verdict.state != State::absent) return;
  std::vector<std::string> names = names_in(payload(start));
  require(names.size() == (verdict.state == State::found ? 1 : 0));
  if (names.empty()) return;
  for (char& byte : names[0])
    byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
  require(names[0] == verdict.name || names[0] == verdict.name + ".");
}

void check_cuts(const Data& start) {
  const ServerName whole = read_server_name(start);
  check_verdict(start, whole);
  const std::span<const std::uint8_t> all(start);
  bool decided = false;
  const std::size_t step = 1 + all.size() / 50;
  for (std::size_t size = all.size() % step; size <= all.size(); size += step) {
    const ServerName part = read_server_name(all.first(size));
    if (part.state == State::incomplete) {
      require(!decided);
    } else {
      decided = true;
      require(same(part, whole));
    }
  }
}

Data in_records(std::string_view message, std::string_view cuts) {
  Data out;
  sbx::fuzz::in_pieces(message, cuts, [&](std::string_view piece) {
    out.insert(out.end(), {22, 3, 1, 0, static_cast<std::uint8_t>(piece.size())});
    out.insert(out.end(), piece.begin(), piece.end());
  });
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Data start(data, data + size);
  check_cuts(start);
  // The same message in other records, the cuts from its own bytes.
  const Data message = payload(start);
  if (message.size() < 4 || message.size() > 16384) return 0;
  const std::string text(message.begin(), message.end());
  const Data one = in_records(text, "\x27\x27");
  const Data other = in_records(text, std::string_view(text).substr(text.size() / 2));
  check_cuts(other);
  const ServerName first = read_server_name(one);
  const ServerName second = read_server_name(other);
  // Too many records, or more behind the message, which one cut refuses and another does not see.
  if (first.state == State::not_tls || second.state == State::not_tls) return 0;
  require(same(first, second));
  return 0;
}
