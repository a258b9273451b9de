#include "supervise/control.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "os/runtime_folder.hpp"
#include "os/unix_socket.hpp"
#include "supervise/registry.hpp"

namespace sbx::supervise {
namespace {

constexpr std::size_t kMostClients = 8;
constexpr Nanos kPatience = kSecond;

/// A fresh socket's buffer has room for any answer; a client for whom it has not gets none.
void answer(int socket, std::string_view text) {
  (void)::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

SysResult<void> Control::open(const std::string& run_id, const std::string& given_name) {
  folder_ = SBX_TRY(os::open_runtime_folder(true));
  std::string name = RunFile{run_id, ::getpid(), given_name}.name();
  listener_ = SBX_TRY(os::listen_in(folder_.get(), name.c_str()));
  name_ = std::move(name);
  return {};
}

std::optional<Swept> Control::sweep() const {
  return folder_.valid() ? sweep_in_turn(folder_.get()) : Swept{};
}

void Control::watch(PollSet& set) {
  // Who comes while all places are taken waits in the socket's own queue.
  const bool room = listener_.valid() && clients_.size() < kMostClients;
  index_ = room ? set.add(listener_.get(), POLLIN) : kNotPolled;
  for (Client& client : clients_)
    client.index = set.add(client.socket.get(), client.awaits_end ? short{0} : short{POLLIN});
}

void Control::step(const PollSet& set, Nanos now, const Serve& serve) {
  for (Client& client : clients_) {
    if (set.revents(client.index) != 0) {
      // One who awaits the end is heard of only when it has left.
      if (client.awaits_end)
        client.done = true;
      else
        read_request(client, serve);
    }
    if (!client.awaits_end && now >= client.deadline) client.done = true;
  }
  std::erase_if(clients_, [](const Client& client) { return client.done; });
  if (set.revents(index_) != 0) take_clients(now);
}

void Control::take_clients(Nanos now) {
  // No more than these in one go, were they to come as fast as they are turned away.
  for (std::size_t i = clients_.size(); i < kMostClients; ++i) {
    auto accepted = os::accept_from(listener_.get());
    if (!accepted) return;
    if (!os::peer_may_steer(accepted->get())) {
      answer(accepted->get(), refused("only its user and root may ask, from outside of a sandbox"));
      continue;
    }
    clients_.push_back({std::move(*accepted), {}, now + kPatience});
  }
}

void Control::read_request(Client& client, const Serve& serve) {
  char bytes[kLongestRequest];
  const ssize_t got = ::recv(client.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  client.done = true;
  if (got <= 0) return;
  client.request.append(bytes, static_cast<std::size_t>(got));
  const std::size_t end = client.request.find('\n');
  if (end == std::string::npos && client.request.size() <= kLongestRequest) {
    client.done = false;
    return;
  }
  // Without a line end this is longer than a request may be, which parse_request() says.
  const auto request = parse_request(std::string_view(client.request).substr(0, end));
  const auto text = request ? serve(*request) : refused(request.error());
  client.awaits_end = !text.has_value();
  client.done = text.has_value();
  if (text) answer(client.socket.get(), *text);
}

std::optional<Nanos> Control::next() const {
  std::optional<Nanos> soonest;
  for (const Client& client : clients_)
    if (!client.awaits_end && (!soonest || client.deadline < *soonest)) soonest = client.deadline;
  return soonest;
}

void Control::close() {
  listener_.reset();
  std::erase_if(clients_, [](const Client& client) { return !client.awaits_end; });
}

void Control::tell_end() {
  close();
  remove_name();
  for (const Client& client : clients_) answer(client.socket.get(), accepted());
  clients_.clear();
}

void Control::remove_name() {
  if (!name_.empty()) ::unlinkat(folder_.get(), name_.c_str(), 0);
  name_.clear();
}

}  // namespace sbx::supervise
