// Attacks on live runs through their registry: a payload that gives orders to a supervisor, its own
// or another's, and one that plants a run of its own making.
#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "verdict.hpp"

namespace probe {
namespace {

constexpr const char* kPlanted = "20260101-000000-0badf00d";

std::vector<std::string> sockets_in(const char* folder) {
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder), closedir);
  while (const dirent* entry = listing ? readdir(listing.get()) : nullptr)
    if (std::string(entry->d_name).ends_with(".sock")) found.emplace_back(entry->d_name);
  return found;
}

/// A socket and its name, relative to the working directory: paths of sockets are short.
int open_socket(const std::string& name, sockaddr_un& address) {
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) return -1;
  name.copy(address.sun_path, name.size());
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// The supervisor's answer, or why there is none.
std::string ask(const std::string& name, const std::string& request) {
  sockaddr_un address{};
  const int fd = open_socket(name, address);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return "not connected";
  char answer[4096];
  ssize_t got = -1;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) >= 0)
    got = recv(fd, answer, sizeof answer, 0);
  close(fd);
  return got > 0 ? std::string(answer, static_cast<std::size_t>(got) - 1) : "no answer";
}

/// Asks every run of the registry FOLDER, its own among them, to do REQUEST. With COUNT, waits
/// until it sees so many, and cannot tell before.
Verdict steer_runs(Args args) {
  const std::size_t count = args.size() > 2 ? std::strtoul(args[2], nullptr, 10) : 0;
  std::vector<std::string> names = sockets_in(args[0]);
  for (int tries = 0; names.size() < count && tries < 500; ++tries) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
    names = sockets_in(args[0]);
  }
  if (names.size() < count) return untestable(std::to_string(names.size()) + " runs are seen");
  if (chdir(args[0]) != 0) return contained(std::string("chdir ") + args[0], errno);
  std::string answers;
  for (const std::string& name : names) {
    const std::string answer = ask(name, std::string(R"({"do":")") + args[1] + "\"}\n");
    if (answer.contains("\"ok\":true")) return escaped("a supervisor obeyed: " + answer);
    answers += "; " + answer;
  }
  return contained("asked " + std::to_string(names.size()) + " supervisors" + answers);
}

/// Makes a live run in the registry FOLDER, made if need be, and answers for it as long as it is
/// let. Whether anybody believes it is for those outside to say.
Verdict plant_run(Args args) {
  mkdir(args[0], 0700);
  if (chdir(args[0]) != 0) return contained(std::string("chdir ") + args[0], errno);
  sockaddr_un address{};
  const int fd =
      open_socket(std::string(kPlanted) + "." + std::to_string(getpid()) + ".sock", address);
  if (fd < 0) return contained("socket", errno);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return contained("bind", errno);
  if (listen(fd, 8) != 0) return contained("listen", errno);
  std::puts("planted");
  static_cast<void>(std::fflush(stdout));
  const std::string run = std::string(R"({"ok":true,"run":{"id":")") + kPlanted +
                          R"(","pid":1,"state":"running","profile":"planted","command":"planted",)"
                          R"("elapsed_ms":1,"memory_bytes":1}})"
                          "\n";
  for (;;) {
    const int client = accept(fd, nullptr, nullptr);
    if (client < 0) return untestable("accept", errno);
    send(client, run.data(), run.size(), MSG_NOSIGNAL);
    char request[1024];
    while (recv(client, request, sizeof request, 0) > 0) {
    }
    close(client);
  }
}

constexpr Verb kVerbs[] = {
    {"steer-runs", "FOLDER REQUEST [COUNT]", 2, steer_runs},
    {"plant-run", "FOLDER", 1, plant_run},
};

}  // namespace

std::span<const Verb> control_verbs() { return kVerbs; }

}  // namespace probe
