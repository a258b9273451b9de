// sbx_probe: the hostile payload of the tests. `sbx_probe VERB [ARG...]` tries one thing and tells
// whether it worked: exit code 42 it did, 0 it was contained, 3 it could not be tried.
// `sbx_probe settled VERB ...` first waits until init holds no capability: until then ptrace(2)
// refuses for their sake, and an attack on init would fail whatever its walls.
#include <cstdio>
#include <cstring>

#include "verdict.hpp"

namespace {

constexpr std::span<const probe::Verb> (*kGroups[])() = {
    probe::file_verbs,      probe::descriptor_verbs, probe::init_verbs,     probe::process_verbs,
    probe::privilege_verbs, probe::namespace_verbs,  probe::mount_verbs,    probe::call_verbs,
    probe::foreign_verbs,   probe::socket_verbs,     probe::terminal_verbs, probe::resource_verbs,
    probe::control_verbs,
};

int list_verbs() {
  for (const auto group : kGroups) {
    for (const probe::Verb& verb : group()) std::printf("%s %s\n", verb.name, verb.parameters);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "settled") == 0) {
    if (!probe::await_settled_init()) {
      std::fprintf(stderr, "sbx_probe: init still has capabilities after five seconds\n");
      return 3;
    }
    --argc;
    ++argv;
  }
  if (argc < 2 || std::strcmp(argv[1], "list") == 0) return list_verbs();
  const probe::Args args(argv + 2, static_cast<std::size_t>(argc - 2));
  for (const auto group : kGroups) {
    for (const probe::Verb& verb : group()) {
      if (std::strcmp(verb.name, argv[1]) != 0) continue;
      if (args.size() < verb.count) {
        std::fprintf(stderr, "usage: sbx_probe %s %s\n", verb.name, verb.parameters);
        return 3;
      }
      const probe::Verdict verdict = verb.run(args);
      probe::print(verdict);
      return probe::exit_code(verdict);
    }
  }
  std::fprintf(stderr, "sbx_probe: no verb '%s'\n", argv[1]);
  return 3;
}
