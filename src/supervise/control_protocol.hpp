// What is said between a live run's supervisor and the verbs that steer it: one line of JSON each
// way. Pure. Every byte may be hostile.
//
//   {"do":"kill"}  {"do":"kill","signal":"TERM"}  {"do":"pause"}  {"do":"resume"}  {"do":"stats"}
//   {"ok":true}    {"ok":true,"run":{...}}        {"ok":false,"error":"..."}
//
// `kill` without a signal is SIGKILL, and answered when the whole tree has ended.
#pragma once

#include <signal.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::supervise {

constexpr std::size_t kLongestRequest = 1024;
constexpr std::size_t kLongestAnswer = std::size_t{64} * 1024;

enum class Action { kill, pause, resume, stats };

struct Request {
  Action action = Action::stats;
  int signal = SIGKILL;  ///< kill: what the payload is sent; SIGKILL ends the whole tree
};

/// The error side is for the one who asked.
std::expected<Request, std::string> parse_request(std::string_view line);
/// With its line end.
std::string to_line(const Request& request);

/// The answers, with their line end. `run`: the object of live_json.hpp.
std::string accepted();
std::string accepted(std::string_view run);
std::string refused(std::string_view why);

struct Answer {
  std::string run;  ///< JSON, one line; empty: there was none
};
/// The error side is what the supervisor said, or that it was no answer.
std::expected<Answer, std::string> parse_answer(std::string_view line);

/// TERM, SIGTERM, ... of those that a payload can be sent; nullopt: none of them.
std::optional<int> signal_number(std::string_view name);
/// Their names, "HUP|INT|...".
std::string signal_names();

}  // namespace sbx::supervise
