// Lines are made here by hand, as they come with every piece of output.
#include "supervise/events.hpp"

#include <utility>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "supervise/encode.hpp"

namespace sbx::supervise {
EventLog::EventLog(Sink sink, Nanos started)
    : enabled_(true), sink_(std::move(sink)), started_(started) {}

void EventLog::put(Nanos now, std::string_view type, const std::string& fields) {
  if (!enabled_) return;
  if (waiting() == 0) progress_ = now;
  const std::string head = R"({"v":1,"seq":)" + std::to_string(sequence_) + R"(,"t_ms":)" +
                           std::to_string((now - started_) / kMillisecond) + R"(,"type":")";
  // If there is no memory for all of the line, none of it is to stand there.
  queue_.reserve(queue_.size() + head.size() + type.size() + fields.size() + 3);
  queue_.append(head).append(type).append(1, '"').append(fields).append("}\n");
  ++sequence_;
}

void EventLog::start(Nanos now, int pid, std::string_view run_id) {
  put(now, "start", R"(,"id":)" + json_string(run_id) + R"(,"pid":)" + std::to_string(pid));
}

void EventLog::usage(Nanos now, std::string_view figures) {
  if (stalled_) return;
  put(now, "usage",
      "," + std::string(figures.substr(1, figures.size() - 2)));  // without its braces
}

void EventLog::output(Nanos now, int stream, std::string_view bytes) {
  if (!enabled_ || bytes.empty()) return;
  std::string& cut = cut_[static_cast<std::size_t>(stream)];
  std::string joined;
  if (!cut.empty()) {
    joined = std::exchange(cut, {});
    joined += bytes;
    bytes = joined;
  }
  cut = bytes.substr(bytes.size() - incomplete_utf8_suffix(bytes));
  bytes.remove_suffix(cut.size());
  put_output(now, stream, bytes);
}

void EventLog::put_output(Nanos now, int stream, std::string_view bytes) {
  if (bytes.empty()) return;
  if (stalled_) {
    ++sequence_;
    return;
  }
  put(now, stream == 1 ? "stdout" : "stderr",
      is_utf8(bytes) ? R"(,"text":)" + json_string(bytes)
                     : R"(,"base64":")" + to_base64(bytes) + '"');
}

void EventLog::warning(Nanos now, std::string_view code, std::string_view text) {
  put(now, "warning",
      std::string(R"(,"code":)")
          .append(json_string(code))
          .append(R"(,"text":)")
          .append(json_string(text)));
}

void EventLog::signal_sent(Nanos now, int signal, std::string_view reason) {
  put(now, "signal_sent",
      R"(,"signal":)" + std::to_string(signal) + R"(,"reason":)" + json_string(reason));
}

void EventLog::denial(Nanos now, const Denial& denial) {
  const auto text = [](std::string_view value) {
    return value.empty() ? std::string("null") : json_string(value);
  };
  put(now, "denial",
      R"(,"kind":)" + json_string(denial.kind) + R"(,"operation":)" +
          json_string(denial.operation) + R"(,"target":)" + text(denial.target) + R"(,"syscall":)" +
          (denial.kind == "syscall" ? json_string(denial.operation) : "null") + R"(,"reason":)" +
          text(denial.reason) + R"(,"pid":)" + (denial.pid ? std::to_string(*denial.pid) : "null") +
          R"(,"comm":)" + (denial.comm ? json_string(*denial.comm) : "null") + R"(,"allow_with":)" +
          text(denial.allow_with));
}

void EventLog::connection(Nanos now, std::string_view connection) {
  put(now, "connection", "," + std::string(connection.substr(1, connection.size() - 2)));
}

void EventLog::artifact(Nanos now, std::string_view artifact) {
  put(now, "artifact", "," + std::string(artifact.substr(1, artifact.size() - 2)));
}

void EventLog::exit(Nanos now, const Outcome& outcome) {
  for (int stream = 1; stream <= 2; ++stream)
    put_output(now, stream, std::exchange(cut_[static_cast<std::size_t>(stream)], {}));
  const auto number = [](const std::optional<int>& value) {
    return value ? std::to_string(*value) : std::string("null");
  };
  put(now, "exit",
      R"(,"exit_code":)" + number(outcome.exit_code) + R"(,"signal":)" + number(outcome.signal));
}

void EventLog::result(Nanos now, std::string_view result) {
  put(now, "result", R"(,"result":)" + std::string(result));
}

void EventLog::end(Nanos now) {
  stalled_ = false;
  progress_ = now;
}

void EventLog::watch(PollSet& set) const {
  if (waiting() != 0) set.add(sink_.poll_fd(), POLLOUT);
}

void EventLog::step(Nanos now) {
  while (waiting() != 0) {
    const std::string_view rest = std::string_view(queue_).substr(written_);
    const auto taken = sink_.write(rest);
    if (!taken) return lose(taken.error().value);
    if (*taken == 0) {
      stalled_ = stalled_ || now - progress_ >= kReaderPatience;
      break;
    }
    took(rest.substr(0, *taken));
    progress_ = now;
  }
  if (waiting() == 0) stalled_ = false;
  // Moving the rest to the front only when most is gone keeps the copying linear.
  if (written_ > queue_.size() / 2) {
    queue_.erase(0, written_);
    written_ = 0;
  }
}

void EventLog::took(std::string_view bytes) {
  const std::size_t line_end = bytes.rfind('\n');
  torn_ = line_end == std::string_view::npos ? torn_ + bytes.size() : bytes.size() - line_end - 1;
  written_ += bytes.size();
}

void EventLog::lose(int error) {
  lost_ = error;
  enabled_ = false;
  sink_.cut_back(torn_);
  queue_.clear();
  written_ = 0;
}

std::optional<Nanos> EventLog::next() const {
  if (waiting() == 0 || stalled_) return std::nullopt;
  return progress_ + kReaderPatience;
}

}  // namespace sbx::supervise
