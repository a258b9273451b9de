#include "protocol/client_hello.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "protocol/host_name.hpp"
#include "protocol/reader.hpp"

namespace sbx::protocol {

namespace {

using State = ServerName::State;

// RFC 8446 5.1 and 4; RFC 6066 3; RFC 9849 5.
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kMajorVersion = 3;
constexpr std::uint8_t kClientHelloMessage = 1;
constexpr std::uint8_t kHostName = 0;
constexpr std::uint16_t kServerNameExtension = 0;
constexpr std::uint16_t kEncryptedHelloExtension = 0xfe0d;
constexpr std::size_t kRecordHead = 5;
constexpr std::size_t kMessageHead = 4;
constexpr std::size_t kMostRecord = 16384;

bool starts_wrong(Bytes record) {
  constexpr std::uint8_t kMostMinor = 4;
  if (!record.empty() && record[0] != kHandshake) return true;
  if (record.size() > 1 && record[1] != kMajorVersion) return true;
  if (record.size() > 2 && record[2] > kMostMinor) return true;
  if (record.size() < kRecordHead) return false;
  const std::size_t size = static_cast<std::size_t>(record[3]) << 8U | record[4];
  return size == 0 || size > kMostRecord;
}

/// The four bytes of the message's head, which may lie in as many records.
class MessageHead {
 public:
  /// False when they are of no ClientHello that is read.
  bool take(Bytes piece) {
    for (const std::uint8_t byte : piece) {
      if (seen_ == kMessageHead) return true;
      if (seen_ == 0 && byte != kClientHelloMessage) return false;
      if (seen_ > 0) length_ = length_ << 8U | byte;
      ++seen_;
      if (length_ > kMostClientHello) return false;
    }
    return true;
  }
  [[nodiscard]] std::optional<std::size_t> size() const {
    return seen_ < kMessageHead ? std::nullopt : std::optional(kMessageHead + length_);
  }

 private:
  std::size_t seen_ = 0;
  std::size_t length_ = 0;
};

/// Visits the records up to the message's end. `visit` gets what each has of the message.
template <class Visit>
State walk_records(Bytes start, const Visit& visit, std::size_t* end = nullptr) {
  const std::size_t all = start.size();
  MessageHead head;
  std::size_t have = 0;
  for (std::size_t records = 0; !start.empty(); ++records) {
    if (records == kMostHelloRecords || starts_wrong(start)) return State::not_tls;
    if (start.size() < kRecordHead) return State::incomplete;
    const std::size_t size = static_cast<std::size_t>(start[3]) << 8U | start[4];
    Bytes piece = start.subspan(kRecordHead);
    piece = piece.first(std::min(size, piece.size()));
    if (!head.take(piece)) return State::not_tls;
    const std::optional<std::size_t> whole = head.size();
    // Nothing may follow in the record: the keys can change here (RFC 8446 5.1), and no reader is
    // to find a second hello where another sees none.
    if (whole && have + size > *whole) return State::not_tls;
    have += piece.size();
    visit(piece);
    const std::size_t left = start.size() - std::min(kRecordHead + size, start.size());
    if (end != nullptr) *end = all - left;
    if (whole && have == *whole) return State::found;
    start = start.subspan(std::min(kRecordHead + size, start.size()));
  }
  return State::incomplete;
}

ServerName of_state(State state) { return {.state = state}; }

/// The extension's value: a list of exactly one name.
std::optional<std::string> name_of(Bytes extension) {
  Reader outer(extension);
  Reader list(outer.vector(2));
  if (outer.failed() || !outer.at_end() || list.u8() != kHostName) return std::nullopt;
  const Bytes name = list.vector(2);
  if (list.failed() || !list.at_end()) return std::nullopt;
  return host_name({reinterpret_cast<const char*>(name.data()), name.size()});
}

ServerName read_extensions(Bytes extensions) {
  ServerName result = of_state(State::absent);
  Reader reader(extensions);
  while (!reader.at_end()) {
    const std::uint16_t type = reader.u16();
    const Bytes value = reader.vector(2);
    if (reader.failed()) return of_state(State::not_tls);
    if (type == kEncryptedHelloExtension) result.encrypted = true;
    if (type != kServerNameExtension) continue;
    std::optional<std::string> name = name_of(value);
    if (!name || result.state == State::found) return of_state(State::not_tls);
    result.state = State::found;
    result.name = std::move(*name);
  }
  return result;
}

/// RFC 8446 4.1.2; the same up to the extensions since SSL 3.0.
ServerName read_message(Bytes message) {
  constexpr std::size_t kRandom = 32;
  constexpr std::size_t kMostSession = 32;
  Reader reader(message.subspan(kMessageHead));
  const bool version = reader.u8() == kMajorVersion;
  reader.u8();
  reader.take(kRandom);
  const std::size_t session = reader.vector(1).size();
  const std::size_t suites = reader.vector(2).size();
  const std::size_t compressions = reader.vector(1).size();
  if (reader.failed() || !version || session > kMostSession || suites < 2 || suites % 2 != 0 ||
      compressions == 0)
    return of_state(State::not_tls);
  if (reader.at_end()) return of_state(State::absent);
  const Bytes extensions = reader.vector(2);
  if (reader.failed() || !reader.at_end()) return of_state(State::not_tls);
  return read_extensions(extensions);
}

}  // namespace

Looks looks_like_tls(Bytes start) {
  constexpr std::uint8_t kChangeCipherSpec = 20;
  constexpr std::uint8_t kApplicationData = 23;
  if (start.empty()) return Looks::maybe;
  if (start[0] < kChangeCipherSpec || start[0] > kApplicationData) return Looks::no;
  if (start.size() == 1) return Looks::maybe;
  return start[1] == kMajorVersion ? Looks::yes : Looks::no;
}

ServerName read_server_name(Bytes start) {
  const bool full = start.size() >= kMostClientHello;
  if (full) start = start.first(kMostClientHello);
  const State state = walk_records(start, [](Bytes) {});
  if (state == State::incomplete && full) return of_state(State::not_tls);
  if (state != State::found) return of_state(state);
  std::vector<std::uint8_t> message;
  std::size_t end = 0;
  const auto gather = [&](Bytes piece) {
    message.insert(message.end(), piece.begin(), piece.end());
  };
  walk_records(start, gather, &end);
  ServerName result = read_message(message);
  result.size = end;
  return result;
}

}  // namespace sbx::protocol
