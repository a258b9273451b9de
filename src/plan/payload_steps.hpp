// The steps of the payload, between fork and exec, and of guard: part of plan/step.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "network/rule.hpp"

namespace sbx::plan {

struct NewNetwork {};  ///< a network namespace of its own, handed to init as well
struct RaiseLoopback {};
struct RouteToSelf {};  ///< every address leads to lo, and with it to who listens there
/// Listen on the ports that the profile allows, and on 53; the sockets go to the supervisor, which
/// alone reaches the real network.
struct OpenGateway {
  static constexpr std::size_t kMostTcp = 64;
  static constexpr std::size_t kMostUdp = 256;

  std::vector<std::uint16_t> tcp{};
  std::vector<std::uint16_t> udp{};
  /// TCP ports beyond these: the supervisor opens one when somebody is about to connect to it.
  std::vector<network::PortRange> late{};
  bool more = false;  ///< the supervisor is to make further sockets there: for `late`, and publish
};
struct BorrowRoot {};                         ///< the new root, to work on it beside init
struct ReturnRoot {};                         ///< it is as it shall be
struct AwaitRoot {};                          ///< until then paths mean the host's tree
struct AwaitRelease {};                       ///< the last word before untrusted code runs
struct AwaitGateway {};                       ///< until what is refused is told
struct DieWithInit {};                        ///< where no pid namespace would see to it
struct OpenPty {                              ///< the master goes to the supervisor
  const char* multiplexer = "/dev/pts/ptmx";  ///< of the sandbox's own devpts
};
struct NewSession {
  bool controlling_tty = false;
};
struct PlaceStdio {};  ///< 0, 1, 2
struct SetRlimit {
  std::string name;
  std::optional<std::uint64_t> value;
};
struct ChangeDir {
  std::string path;
};
struct ResolveExecutable {};  ///< 127 / 126 are decided here, before the filter
struct NoNewPrivs {};
struct LandlockRule {
  std::string path;
  bool writable = false;
  bool device = false;
  bool optional = false;  ///< nothing is lost where it does not exist
  std::string key{};      ///< tier `landlock`: the profile key that names it; empty: none does
  Origin origin{};        ///< where that is written; empty file: a default
};
struct ApplyLandlock {
  int abi = 0;
  std::vector<LandlockRule> rules;
  bool scope = true;
  bool no_tcp = false;     ///< no connecting, no listening (ABI 4)
  bool only_wall = false;  ///< tier `landlock`: there is no root of its own around the payload
};
/// What no exec can give: the bounding set without `keep` (capabilities(7)). It takes a call for
/// each capability and nothing from the process itself: init does it once, for the payload as well.
struct EmptyBoundingSet {
  std::vector<std::string> keep{};
};
/// All other sets, ambient too; securebits locked. Without `locked` not the last, which like
/// EmptyBoundingSet only root of a user namespace may: no_new_privs then has to see to it that none
/// comes back.
struct DropCapabilities {
  std::vector<std::string> keep{};
  bool locked = true;
};
/// init: false, so that nobody may trace it or open its /proc entries (tests show what true
/// allows).
struct SetDumpable {
  bool dumpable = false;
};
struct HideCommandLine {};  ///< init: /proc/1/cmdline must not show the caller's
struct ResetSignals {};
/// The personality and a real-time class of the caller's. `keyring`: the session keyring as well.
struct ResetInherited {
  bool keyring = false;
};
struct CloseDescriptors {};  ///< everything above 2
struct InstallSeccomp {};    ///< Plan::filter
struct ExecPayload {};
/// Fails with `error`, in whatever phase it stands: how tests/fault breaks each step in turn.
struct Fail {
  int error = 0;
};

}  // namespace sbx::plan
