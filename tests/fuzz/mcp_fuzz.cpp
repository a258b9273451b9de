// libFuzzer target: any bytes as lines of a client of `sbx mcp`. Each is a message or refused; what
// is asked to be run is within the operator's bounds, and what goes on a command line is whole.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.hpp"
#include "mcp/line_reader.hpp"
#include "mcp/message.hpp"
#include "mcp/order.hpp"
#include "mcp/revision.hpp"
#include "promise.hpp"

namespace {

using namespace sbx::mcp;
using sbx::fuzz::require;

constexpr std::uint64_t kMemory = std::uint64_t{512} << 20U;  // the defaults of a profile
constexpr std::chrono::milliseconds kWall{60'000};

/// "limits.memory" of "--set=limits.memory=1M"
bool is_set(std::string_view flag, std::string_view key, std::string_view& value) {
  const std::string begin = "--set=" + std::string(key) + "=";
  if (!flag.starts_with(begin)) return false;
  value = flag.substr(begin.size());
  return true;
}

void look_at(const Order& order) {
  require(!order.command.empty());
  for (const std::string& word : order.command) require(word.find('\0') == std::string::npos);
  for (const std::string& flag : order.flags) {
    std::string_view value;
    require(flag.find('\0') == std::string::npos);
    require(flag.starts_with("--set=limits.") || flag.starts_with("--env=") ||
            flag.starts_with("--workdir=/"));
    if (is_set(flag, "limits.memory", value)) {
      const auto bytes = sbx::parse_bytes(value);
      require(bytes && *bytes > 0 && *bytes <= kMemory);
    }
    if (is_set(flag, "limits.wall", value)) {
      const auto time = sbx::parse_duration(value);
      require(time && time->count() > 0 && *time <= kWall);
    }
    require(!flag.starts_with("--env=PATH="));
  }
}

void take(const Request& request) {
  require(request.id.is_null() || request.id.is_string() || request.id.is_number_integer());
  require(request.params.is_object());
  (void)revision_of(request.params);
  for (const Runner runner : {Runner::command, Runner::python, Runner::node, Runner::shell}) {
    const auto order = read_order(runner, request.params, {});
    if (order)
      look_at(*order);
    else
      require(!order.error().empty());
  }
  const std::string line = line_of(result_of(request.id, request.params));
  require(line.find('\n') == line.size() - 1 && Json::accept(line));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  LineReader reader(1024);
  sbx::fuzz::in_pieces(text, "\x05\x11\x01\x27", [&reader](std::string_view piece) {
    reader.feed(piece);
    while (const auto line = reader.next()) {
      require(line->too_long ? line->text.empty() : line->text.size() <= 1024);
      auto document = read_document(line->text);
      if (!document) continue;
      const auto message = read_message(std::move(*document));
      if (const auto* const request = std::get_if<Request>(&message)) take(*request);
    }
  });
  return 0;
}
