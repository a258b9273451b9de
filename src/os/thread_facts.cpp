#include "os/thread_facts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "base/text.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

/// What follows "NAME:\t" in its line; empty: no such line.
std::string_view field(std::string_view status, std::string_view name) {
  for (const std::string_view line : split(status, '\n')) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with(":\t"))
      return line.substr(name.size() + 2);
  }
  return {};
}

pid_t number(std::string_view text) {
  pid_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view last_word(std::string_view text) {
  const std::size_t tab = text.rfind('\t');
  return tab == std::string_view::npos ? text : text.substr(tab + 1);
}

}  // namespace

std::optional<ThreadFacts> thread_facts(pid_t thread) {
  std::array<char, 40> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/%d/status", thread);
  const UniqueFd file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  // What we look for stands in its first half, but behind the groups of its user, who may have
  // many.
  std::string text;
  std::array<char, 2048> buffer{};
  while (!text.contains("\nNStgid:") || !text.ends_with('\n')) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  if (text.empty()) return std::nullopt;
  const std::string_view status = text;
  ThreadFacts facts{std::string(field(status, "Name")), number(field(status, "Tgid")),
                    number(last_word(field(status, "NStgid")))};
  if (facts.process == 0) return std::nullopt;
  return facts;
}

}  // namespace sbx::os
