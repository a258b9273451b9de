#include "base/log.hpp"

#include <fcntl.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/lexical_path.hpp"
#include "base/text.hpp"

namespace sbx::log {
namespace {

constexpr std::array<std::pair<std::string_view, Level>, 4> kNames{{{"debug", Level::debug},
                                                                    {"info", Level::info},
                                                                    {"warn", Level::warning},
                                                                    {"error", Level::error}}};

/// Why a line is not in the log. A full disk must not end the run.
std::optional<Errno> first_loss;

/// One write(2) a line, unbuffered: a killed supervisor's last lines are the interesting ones.
/// spdlog's own file sink makes missing folders and tries five times; a wrong path is to be an
/// error at once.
class FileSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  FileSink(FileSink&&) = delete;
  FileSink& operator=(FileSink&&) = delete;
  ~FileSink() override { ::close(fd_); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const auto written = ::write(fd_, line.data(), line.size());
    if (first_loss) return;
    if (written < 0)
      first_loss = Errno{errno};
    else if (static_cast<std::size_t>(written) < line.size())
      first_loss = Errno{ENOSPC};
  }
  void flush_() override {}

 private:
  int fd_;
};

/// A function's static: no constructor runs in a start that does not log.
std::unique_ptr<spdlog::logger>& logger() {
  static std::unique_ptr<spdlog::logger> instance;
  return instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

std::optional<Level> parse_level(std::string_view name) {
  for (const auto& [known, level] : kNames) {
    if (known == name) return level;
  }
  return std::nullopt;
}

Result<void> open(const std::string& file, Level level) {
  // Non-blocking: a FIFO that nobody reads is an error (ENXIO), not a wait. Where a payload may
  // write, a link is one of its own, to any file of the caller's.
  const int fd = ::open(file.c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                            (names_systems_link(file) ? 0 : O_NOFOLLOW),
                        0666);
  if (fd < 0)
    return std::unexpected(
        Error{ErrorKind::usage, "cannot write the log " + quote(file), "--log",
              errno == ELOOP ? "it is a symbolic link: name the file itself" : "", errno});
  auto sink = std::make_shared<FileSink>(fd);
  sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %P %l %v");
  logger() = std::make_unique<spdlog::logger>("sbx", std::move(sink));
  logger()->set_level(to_spdlog(level));
  return {};
}

bool enabled(Level level) { return logger() != nullptr && logger()->should_log(to_spdlog(level)); }

std::optional<Errno> failure() { return first_loss; }

void write(Level level, std::string_view message) {
  constexpr std::size_t kLongest = 4096;
  if (enabled(level)) logger()->log(to_spdlog(level), printable(message, kLongest));
}

}  // namespace sbx::log
