// What a probe says about one attack: it worked, it was contained, or it could not be tried. One
// line on stdout for the tests to read, and an exit code that says the same.
#pragma once

#include <cerrno>
#include <functional>
#include <span>
#include <string>

namespace probe {

struct Verdict {
  enum class Kind { escaped, contained, untestable };
  Kind kind = Kind::untestable;
  std::string text{};
  int error = 0;  ///< the errno that stopped it, 0 when none did
};

/// The attack worked: exit code 42.
Verdict escaped(std::string text);
/// A wall held: exit code 0. `error` is printed by name.
Verdict contained(std::string text, int error = 0);
/// Neither could be found out here: exit code 3.
Verdict untestable(std::string text, int error = 0);

/// The usual judgement of a system call: a result below 0 is contained with errno, else escaped.
Verdict judge(long result, std::string what);
/// As judge(), for calls that the sandbox should not even reach: only EPERM and ENOSYS are
/// refusals, every other errno comes from the call's own code.
Verdict judge_reached(long result, std::string what);

/// Runs `attack` in a child, so that a filter that kills is a verdict, too.
Verdict in_child(const std::function<Verdict()>& attack);

/// Prints `escaped: ...`, `contained: ... errno=NAME` or `untestable: ... errno=NAME`.
void print(const Verdict& verdict);
int exit_code(const Verdict& verdict);

using Args = std::span<const char* const>;

/// One attack with a name. `parameters` is for the list of verbs; `count` of them are needed.
struct Verb {
  const char* name;
  const char* parameters;
  unsigned count;
  Verdict (*run)(Args);
};

/// Waits until init has given up its capabilities; false when it has not in five seconds.
bool await_settled_init();

std::span<const Verb> file_verbs();
std::span<const Verb> descriptor_verbs();
std::span<const Verb> init_verbs();
std::span<const Verb> process_verbs();
std::span<const Verb> privilege_verbs();
std::span<const Verb> namespace_verbs();
std::span<const Verb> mount_verbs();
std::span<const Verb> call_verbs();
std::span<const Verb> foreign_verbs();
std::span<const Verb> socket_verbs();
std::span<const Verb> terminal_verbs();
std::span<const Verb> resource_verbs();
std::span<const Verb> control_verbs();

}  // namespace probe
