#include "mcp/order.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"

namespace sbx::mcp {
namespace {

using profile::Bytes;
using profile::Duration;
using profile::Profile;

// execve(2) takes 128 KiB a word, and a quarter of the stack limit together.
constexpr std::size_t kLongestWord = std::size_t{100} << 10U;
constexpr std::size_t kLongestCommand = std::size_t{1} << 20U;
constexpr std::size_t kMostVariables = 100;
constexpr Bytes kMostOutput = Bytes{8} << 20U;  // of a stream: it comes twice in the answer

struct Kind {
  Runner runner;
  std::string_view tool;
  std::string_view argument;  ///< that has the code; empty: a list of words, `argv`
};
constexpr std::array kKinds{
    Kind{Runner::command, "run_command", ""},
    Kind{Runner::python, "run_python", "code"},
    Kind{Runner::node, "run_node", "code"},
    Kind{Runner::shell, "run_shell", "script"},
};

const Kind& kind_of(Runner runner) { return kKinds[static_cast<std::size_t>(runner)]; }

/// Code may begin with `-`, and is no option then.
std::vector<std::string> words_for(Runner runner, std::string code, std::vector<std::string> args) {
  std::vector<std::string> words;
  switch (runner) {
    case Runner::command:
      return args;
    case Runner::python:
      words = {"python3", "-c", std::move(code)};
      break;
    case Runner::node:
      words = {"node", "--eval=" + code + "\n"};  // with nothing behind the `=` it would not start
      if (!args.empty()) words.emplace_back("--");
      break;
    case Runner::shell:
      words = {"sh", "-c", "--", std::move(code), "sh"};  // the last is $0
      break;
  }
  std::ranges::move(args, std::back_inserter(words));
  return words;
}

std::string beyond(std::string_view name, std::string_view asked, std::string_view key,
                   std::string_view bound) {
  return "`" + std::string(name) + "`: " + std::string(asked) +
         " is more than the operator allows (" + std::string(key) + ": " + std::string(bound) + ")";
}

/// Reads `order.flags`, one bound after the other.
class Tightening {
 public:
  Tightening(Arguments& arguments, Order& order) : arguments_(arguments), order_(order) {}

  void time(const char* name, const char* key, const std::optional<Duration>& bound) {
    const auto text = arguments_.text(name);
    if (!text) return;
    const auto asked = parse_duration(*text);
    if (!asked) return wrong(name, asked.error());
    if (*asked == Duration{0}) return wrong(name, "it has to be more than 0");
    if (bound && *asked > *bound)
      return arguments_.add_mistake(beyond(name, *text, key, format_duration(*bound)));
    set(key, format_duration(*asked));
  }

  void size(const char* name, const char* key, const std::optional<Bytes>& bound) {
    const auto text = arguments_.text(name);
    if (!text) return;
    const auto asked = parse_bytes(*text);
    if (!asked) return wrong(name, asked.error());
    if (*asked == 0) return wrong(name, "it has to be more than 0");
    if (bound && *asked > *bound)
      return arguments_.add_mistake(beyond(name, *text, key, format_bytes(*bound)));
    set(key, format_bytes(*asked));
  }

  void count(const char* name, const char* key, const std::optional<std::uint64_t>& bound) {
    constexpr std::uint64_t kMost = 1U << 22U;  // of Linux (PID_MAX_LIMIT)
    const auto asked = arguments_.number(name, 1, kMost);
    if (!asked) return;
    if (bound && *asked > *bound)
      return arguments_.add_mistake(
          beyond(name, std::to_string(*asked), key, std::to_string(*bound)));
    set(key, std::to_string(*asked));
  }

  /// Of both streams. Without a wish as much as a model can read, but where more ends the run.
  void output(const profile::OutputLimits& bound) {
    const auto text = arguments_.text("output");
    std::optional<Bytes> asked;
    if (text) {
      const auto parsed = parse_bytes(*text);
      if (!parsed) return wrong("output", parsed.error());
      if (*parsed > kMostOutput)
        return wrong("output", "it can be " + format_bytes(kMostOutput) + " at most");
      asked = *parsed;
    }
    stream("limits.output.stdout", bound.stdout_bytes, asked, text, bound.on_exceed);
    stream("limits.output.stderr", bound.stderr_bytes, asked, text, bound.on_exceed);
  }

 private:
  void stream(const char* key, const std::optional<Bytes>& bound, std::optional<Bytes> asked,
              const std::optional<std::string>& text, profile::OnExceed on_exceed) {
    if (asked && bound && *asked > *bound)
      return arguments_.add_mistake(beyond("output", text.value_or(""), key, format_bytes(*bound)));
    if (!asked && on_exceed == profile::OnExceed::kill) return;
    const Bytes usual = std::min(bound.value_or(kUsualOutput), kUsualOutput);
    set(key, format_bytes(asked.value_or(usual)));
  }

  void wrong(const char* name, const std::string& why) {
    arguments_.add_mistake("`" + std::string(name) + "`: " + why);
  }
  void set(const char* key, const std::string& value) {
    order_.flags.push_back("--set=" + std::string(key) + "=" + value);
  }

  Arguments& arguments_;
  Order& order_;
};

/// What the sandbox has is the operator's: a client adds to it.
void read_variables(Arguments& arguments, const Profile& profile, Order& order) {
  const auto variables = arguments.text_map("env");
  if (variables.size() > kMostVariables)
    arguments.add_mistake("`env` has more than " + std::to_string(kMostVariables) + " variables");
  for (const auto& [name, value] : variables) {
    const bool secret =
        std::ranges::find(profile.secrets, name, &profile::Secret::env) != profile.secrets.end();
    if (!profile::is_env_name(name))
      arguments.add_mistake("`env`: " + quote(name) + " is no name of a variable");
    else if (name == "PATH" || secret || profile.env.set.contains(name))
      arguments.add_mistake("`env`: " + name + " is set by the operator's profile");
    else if (value.size() > kLongestWord)
      arguments.add_mistake("`env`: the value of " + name + " is longer than " +
                            format_bytes(kLongestWord));
    order.flags.push_back(std::string("--env=").append(name).append("=").append(value));
  }
}

void read_command(const Kind& kind, Arguments& arguments, Order& order) {
  std::vector<std::string> args;
  std::string code;
  if (kind.argument.empty()) {
    args = arguments.texts("argv");
    if (args.empty())
      arguments.add_mistake("`argv` needs at least one word");
    else if (args.front().empty())
      arguments.add_mistake("the first word of `argv` is empty, and has to name a program");
  } else {
    code = arguments.needed_text(std::string(kind.argument).c_str());
    args = arguments.texts("args");
  }
  order.command = words_for(kind.runner, std::move(code), std::move(args));
  for (const std::string& word : order.command) {
    if (word.size() > kLongestWord)
      arguments.add_mistake("a word of the command, or the code, is longer than " +
                            format_bytes(kLongestWord) +
                            "; put it in a file with write_file, and run that");
  }
}

/// As execve(2) counts it: each word with its end, and a pointer to it.
void check_length(Arguments& arguments, const Order& order) {
  std::size_t all = 0;
  for (const auto* const words : {&order.command, &order.flags})
    for (const std::string& word : *words) all += word.size() + 1 + sizeof(char*);
  if (all > kLongestCommand)
    arguments.add_mistake("the command, with `env`, is longer than " +
                          format_bytes(kLongestCommand));
}

void read_input(Arguments& arguments, const Profile& profile, Order& order) {
  order.input = arguments.content("stdin");
  if (order.input && profile.stdio.input != "inherit")
    arguments.add_mistake("`stdin` is fixed by the operator's profile (stdio.stdin)");
}

}  // namespace

std::optional<Runner> runner_of(std::string_view tool) {
  for (const Kind& kind : kKinds)
    if (kind.tool == tool) return kind.runner;
  return std::nullopt;
}

std::size_t size_of(const Order& order) {
  std::size_t all = order.input ? order.input->size() : 0;
  for (const auto* const words : {&order.command, &order.flags})
    for (const std::string& word : *words) all += word.size() + sizeof(std::string);
  return all;
}

Order trial_of(Runner runner, const Profile& profile) {
  constexpr Duration kSoon{10'000};
  Order order;
  order.command = words_for(runner, "", {});
  // One that cannot have what it needs may wait for it for ever.
  const Duration patience = std::min(profile.limits.wall.value_or(kSoon), kSoon);
  order.flags.push_back("--set=limits.wall=" + format_duration(patience));
  order.flags.emplace_back("--set=artifacts.collect=!replace []");  // nobody has made any
  return order;
}

std::expected<Order, std::string> read_order(Runner runner, const Json& given,
                                             const Profile& profile) {
  Order order;
  Arguments arguments(given);
  read_command(kind_of(runner), arguments, order);
  Tightening bounds(arguments, order);
  const profile::Limits& limits = profile.limits;
  bounds.time("timeout", "limits.wall", limits.wall);
  bounds.time("cpu_time", "limits.cpu", limits.cpu);
  bounds.time("idle", "limits.idle", limits.idle);
  bounds.size("memory", "limits.memory", limits.memory);
  bounds.count("pids", "limits.pids", limits.pids);
  bounds.output(limits.output);
  read_variables(arguments, profile, order);
  read_input(arguments, profile, order);
  if (const auto folder = arguments.text("workdir")) {
    if (!folder->starts_with('/')) arguments.add_mistake("`workdir` has to be an absolute path");
    order.flags.push_back("--workdir=" + *folder);
  }
  check_length(arguments, order);
  if (auto wrong = arguments.mistake()) return std::unexpected(*std::move(wrong));
  return order;
}

}  // namespace sbx::mcp
