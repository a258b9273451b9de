// One TCP connection of the payload's: accepted inside, opened on the host, carried both ways until
// both have ended or one is reset. Who waits for the end of a side that has forgotten it does not
// wait for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "egress/connector.hpp"
#include "egress/desk.hpp"
#include "egress/half.hpp"

namespace sbx::egress {

class Connection final : public Watcher {
 public:
  using Ended = std::function<void(Connection*)>;

  /// `inside`: accepted or (of a published port) connected. Holds a slot, which it gives back.
  Connection(Desk& desk, os::UniqueFd inside, Target target, Ended ended);
  ~Connection() override;
  /// To the host, as the target says, which is allowed.
  void open();
  /// To `outside`, which is connected already, and within its room.
  void carry(os::UniqueFd outside);

  void ready(int fd, std::uint32_t events) override;
  /// Has bytes of the payload's that the host's side shall still get, after the payload's end.
  [[nodiscard]] bool has_to_send() const;
  /// The run is over, and this is not: it is accounted for as far as it has come.
  void conclude();

 private:
  struct Side {
    os::UniqueFd socket{};
    std::uint32_t watched = 0;  ///< 0: not in the loop
  };

  void opened(Opened result);
  void pump(bool up, bool down);
  void count();
  void refuse();
  void rest();
  void look();  ///< whether it still lives
  void drain();
  bool watch(Side& side, std::uint32_t events);
  void reset();  ///< both ends, and this
  void end();
  void note(Verdict verdict, std::string reason, std::string allow_with);

  Desk& desk_;
  Target target_;
  Ended ended_;
  Side inside_;
  Side outside_;
  std::unique_ptr<Connector> connector_{};
  Half up_;
  Half down_;
  Half::Need up_needs_ = Half::Need::input;
  Half::Need down_needs_ = Half::Need::input;
  Alarm alarm_;
  Alarm idle_;
  Nanos last_ = 0;                  ///< byte that passed; or the end of a side
  bool halved_ = false;             ///< a side is known to have ended
  std::size_t unsent_ = 0;          ///< when both have: what the kernel holds for them
  Nanos next_drain_ = 0;            ///< after so long it is looked at again
  Connections* counted_ = nullptr;  ///< none before the payload has shown whom it talks to
  std::uint64_t sent_ = 0;          ///< not counted yet
  std::uint64_t received_ = 0;
  bool over_ = false;
};

}  // namespace sbx::egress
