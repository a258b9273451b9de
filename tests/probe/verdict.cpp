// Verdicts: how they are worded, printed, and carried out of a child that may be killed.
#include "verdict.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

namespace probe {
namespace {

std::string errno_name(int error) {
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : std::to_string(error);
}

/// A child's verdict crosses a pipe as its kind, its errno and its text.
void send_verdict(int fd, const Verdict& verdict) {
  const std::string line = std::to_string(static_cast<int>(verdict.kind)) + " " +
                           std::to_string(verdict.error) + " " + verdict.text;
  if (write(fd, line.data(), line.size()) < 0) _exit(3);
}

Verdict parse_verdict(const std::string& line) {
  const auto first = line.find(' ');
  const auto second = line.find(' ', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return untestable("garbled verdict");
  return {static_cast<Verdict::Kind>(std::atoi(line.c_str())), line.substr(second + 1),
          std::atoi(line.c_str() + first)};
}

}  // namespace

Verdict escaped(std::string text) { return {Verdict::Kind::escaped, std::move(text), 0}; }
Verdict contained(std::string text, int error) {
  return {Verdict::Kind::contained, std::move(text), error};
}
Verdict untestable(std::string text, int error) {
  return {Verdict::Kind::untestable, std::move(text), error};
}

Verdict judge(long result, std::string what) {
  const int error = errno;
  return result < 0 ? contained(std::move(what), error) : escaped(std::move(what));
}

Verdict judge_reached(long result, std::string what) {
  const int error = errno;
  if (result >= 0) return escaped(what + " succeeded");
  if (error == EPERM || error == ENOSYS) return contained(std::move(what), error);
  return escaped(what + " was reached and answered " + errno_name(error));
}

Verdict in_child(const std::function<Verdict()>& attack) {
  int ends[2];
  if (pipe(ends) != 0) return untestable("pipe", errno);
  const pid_t child = fork();
  if (child < 0) return untestable("fork", errno);
  if (child == 0) {
    close(ends[0]);
    send_verdict(ends[1], attack());
    _exit(0);
  }
  close(ends[1]);
  std::string line;
  char buffer[512];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    line.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child) return untestable("waitpid", errno);
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    const std::string text = std::string("killed by SIG") + (name != nullptr ? name : "?");
    return WTERMSIG(status) == SIGSYS ? contained(text) : untestable(text);
  }
  return parse_verdict(line);
}

void print(const Verdict& verdict) {
  static constexpr const char* kWords[] = {"escaped: ", "contained: ", "untestable: "};
  std::string line = kWords[static_cast<int>(verdict.kind)] + verdict.text;
  if (verdict.error != 0) line += " errno=" + errno_name(verdict.error);
  line += '\n';
  // The exit code says the same, so a stdout that was taken away loses nothing.
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return;
}

int exit_code(const Verdict& verdict) {
  static constexpr int kCodes[] = {42, 0, 3};
  return kCodes[static_cast<int>(verdict.kind)];
}

}  // namespace probe
