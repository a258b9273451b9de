#include "diagnose/container_advice.hpp"

#include <array>
#include <string_view>

namespace sbx::diagnose {
namespace {

struct Advice {
  std::string_view container;
  Obstacle obstacle;
  const char* text;
};
constexpr std::array kAdvice{
    Advice{"docker", Obstacle::filter,
           "start the container with: docker run --security-opt seccomp=unconfined, or a profile "
           "with these calls"},
    Advice{"docker", Obstacle::masks,
           "start the container with: docker run --security-opt systempaths=unconfined"},
    Advice{"docker", Obstacle::no_mount,
           "start the container with: docker run --security-opt apparmor=unconfined"},
    Advice{"docker", Obstacle::ids,
           "start sbx as an ordinary user of the container (docker run --user)"},
    Advice{"podman", Obstacle::filter,
           "start the container with: podman run --security-opt seccomp=unconfined, or a profile "
           "with these calls"},
    Advice{"podman", Obstacle::masks,
           "start the container with: podman run --security-opt unmask=ALL"},
    Advice{"podman", Obstacle::no_mount,
           "start the container with: podman run --security-opt label=disable --security-opt "
           "apparmor=unconfined"},
    Advice{"podman", Obstacle::ids,
           "start sbx as an ordinary user of the container (podman run --user)"},
    Advice{"kubernetes", Obstacle::filter,
           "set in the container's securityContext: seccompProfile: {type: Unconfined}"},
    Advice{"kubernetes", Obstacle::masks,
           "set in the container's securityContext: procMount: Unmasked and runAsUser: 1000, with "
           "hostUsers: false in the pod"},
    Advice{"kubernetes", Obstacle::no_mount,
           "set in the container's securityContext: appArmorProfile: {type: Unconfined}"},
    Advice{"kubernetes", Obstacle::ids, "set in the container's securityContext: runAsUser: 1000"},
    Advice{"systemd-nspawn", Obstacle::filter,
           "start it with: systemd-nspawn --system-call-filter=\"CALL ...\" with these calls"},
    Advice{"sbx", Obstacle::filter, "start it outside: no sandbox of sbx starts inside another"},
    Advice{"bubblewrap", Obstacle::filter,
           "start sbx outside of bubblewrap, or bwrap without --seccomp"},
    Advice{"bubblewrap", Obstacle::masks,
           "start bwrap with --bind /proc /proc instead of --proc, and without --unshare-pid"},
    Advice{"bubblewrap", Obstacle::ids,
           "start it with: bwrap --uid 1000 --gid 1000, or sbx outside of it"},
    Advice{"flatpak", Obstacle::filter, "start sbx outside: flatpak-spawn --host sbx ..."},
};

}  // namespace

std::string container_advice(const std::string& container, Obstacle obstacle) {
  for (const Advice& advice : kAdvice)
    if (advice.container == container && advice.obstacle == obstacle) return advice.text;
  switch (obstacle) {
    case Obstacle::filter:
      return "start sbx outside of what set that filter (a container, another sandbox, a systemd "
             "unit's "
             "SystemCallFilter= or RestrictNamespaces=), or allow these calls there";
    case Obstacle::masks:
      return "start the container with an unmasked /proc (docker run --security-opt "
             "systempaths=unconfined)";
    case Obstacle::no_mount:
      return "allow it there, or start sbx outside of that confinement";
    case Obstacle::ids:
      return "start sbx as an ordinary user";
  }
  return "";
}

}  // namespace sbx::diagnose
