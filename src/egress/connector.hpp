// Opens the host's side of a connection: resolves the name, asks the policy about every address
// before it is connected to, tries one after the other; or through the host's proxy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "egress/desk.hpp"
#include "egress/room.hpp"

namespace sbx::egress {

/// How that went.
struct Opened {
  os::UniqueFd socket{};  ///< invalid: not at all
  Verdict verdict = Verdict::allowed;
  std::string problem{};     ///< of one that is not
  std::string allow_with{};  ///< of denied
  std::string early{};       ///< what the host has sent already, behind a proxy's answer
};

class Connector final : public Watcher {
 public:
  using Done = std::function<void(Opened)>;

  /// `done` is called once, from the loop, never from start(); not when the connector is gone
  /// before.
  Connector(Desk& desk, const Target& target, const Room& room, Done done);
  ~Connector() override;
  void start();
  void ready(int fd, std::uint32_t events) override;

 private:
  void resolve(const std::string& name);
  void resolved(const Resolved& found);
  /// Denied addresses are left out of `addresses`, and why is kept.
  void choose(const std::vector<network::Address>& addresses);
  void try_next();
  bool met_itself();
  [[nodiscard]] std::string problem(int error) const;
  void connected();
  void ask_proxy();
  void hear_proxy();
  void finish(Opened opened);
  void fail(std::string problem);
  void drop_socket();

  Desk& desk_;
  const Target& target_;
  Room room_;  ///< of the socket
  Done done_;
  Alarm patience_;
  std::shared_ptr<Connector*> self_;  ///< for a resolver that may answer when we are gone
  std::vector<network::Endpoint> left_{};
  Opened refused_{};  ///< what is told when no address is left
  network::Endpoint tried_{};
  os::UniqueFd socket_{};
  const network::Proxy* proxy_ = nullptr;  ///< that the connection goes through; none: directly
  bool asked_ = false;
  std::string answer_{};
};

}  // namespace sbx::egress
