#include "cli/unknown_flag.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/line.hpp"
#include "profile/keys.hpp"
#include "profile/meant.hpp"

namespace sbx::cli {
namespace {

/// Flags of docker, bubblewrap, nsjail, firejail, isolate, systemd-run and others, and what is
/// theirs here: a flag, or a sentence.
struct Habit {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array kHabits{
    Habit{"-m --mem --memory-limit --max-memory --limit-memory --cg-mem --cgroup_mem_max",
          "--memory"},
    Habit{"--memory-reservation", "--memory-high"},
    Habit{"--memory-swap", "--swap"},
    Habit{"--time --wall --wall-time --walltime --time-limit --time_limit", "--timeout"},
    Habit{"--cpu-limit --rlimit_cpu --rlimit-cpu", "--cpu-time"},
    Habit{"--max_cpus --cpu-quota --cgroup_cpu_ms_per_sec", "--cpus"},
    Habit{"--cpu-shares", "--cpu-weight"},
    Habit{"--cpuset-cpus --num-cpus", "--cpuset"},
    Habit{"--stop-timeout --kill-after --extra-time", "--grace"},
    Habit{"--pids-limit --processes --max-procs --max-processes --nproc --cgroup_pids_max",
          "--pids"},
    Habit{"--ulimit --stack --fsize --nofile --open-files --core --as --data", "--rlimit"},
    Habit{"--network --share-net --disable_clone_newnet", "--net"},
    Habit{"--domain --net-allow --allow-net --allow-host --allow-domain --allowed-domains",
          "--allow"},
    Habit{"-e -E --setenv --pass-env --env-pass --keep-env --keep_env --full-env", "--env"},
    Habit{"-v --volume --mount --ro-bind --ro-bind-try --bindmount_ro -R --whitelist --allow-read",
          "--ro"},
    Habit{"--bind --bind-try --bindmount -B --read-write --allow-write --writable", "--rw"},
    Habit{"--dev-bind --dev-bind-try",
          "a device is shown by --device NAME, a folder by --rw SRC:DST"},
    Habit{"--dir", "a folder is shown by --ro or --rw SRC:DST, an empty one by --tmpfs DST"},
    Habit{"--bind-data --ro-bind-data", "--file"},
    Habit{"--tmpfsmount --shm-size", "--tmpfs"},
    Habit{"--blacklist --hide --deny-read", "--mask"},
    Habit{"--chroot --rootfs --image", "--root"},
    Habit{"-u --uid --gid --group", "--user"},
    Habit{"-w --cwd --chdir --working-directory", "--workdir"},
    Habit{"-t -it -ti --pty", "--tty"},
    Habit{"--cap-add --caps.keep", "--cap"},
    Habit{"--seccomp.keep", "--seccomp-allow"},
    Habit{"--seccomp.drop", "--seccomp-deny"},
    Habit{"-S --seccomp_policy --seccomp_string --seccomp-policy",
          "calls are named by --seccomp-allow and --seccomp-deny; sbx learn --tight lists them"},
    Habit{"--credential --http-auth", "--secret"},
    Habit{"--trace --tracelog", "sbx learn -o OUT -- CMD writes down what CMD needs"},
    Habit{"--property", "each limit has a flag: --memory, --cpus, --pids, --timeout"},
    Habit{"--size --quota --storage-opt --max-disk",
          "room is limited by --tmpfs DST:SIZE, --set workspace.size=SIZE, --rlimit fsize=SIZE"},
    Habit{"--symlink", "links of the host's root are there; --ro SRC:DST shows one under a name"},
    Habit{"--pass_fd --keep-fd --keep-fds --inherit-fds",
          "CMD has 0, 1 and 2 alone; a file is shown by --ro or --rw"},
    Habit{"--pid --ipc --uts --userns --cgroupns",
          "every run has namespaces of its own, which it shares with nobody: leave it out"},
    Habit{"--meta", "--result"},
    Habit{"-q --silent", "--quiet"},
    Habit{"--verbose --debug", "--log"},
    Habit{"--rm --cleanup --wait", "nothing of a run is left when it has ended: leave it out"},
    Habit{"--die-with-parent",
          "a run ends with sbx, and sbx with its caller by: setpriv --pdeathsig TERM sbx run ..."},
    Habit{"-i --interactive --pipe", "CMD has the caller's standard input: leave it out"},
    Habit{
        "--init --read-only --readonly --cap-drop --caps.drop --seccomp --no-net --no-network "
        "--offline --unshare-all --unshare-user --unshare-net --unshare-pid --unshare-ipc "
        "--unshare-uts --unshare-cgroup --disable-userns --new-session --clearenv --unsetenv "
        "--proc --dev --private --private-tmp --private-dev --private-cache "
        "--disable-mnt --noroot --nogroups --nonewprivs --nosound --no3d --novideo --notv "
        "--nou2f --noinput --nodbus --dbus-user --dbus-system --ipc-namespace "
        "--restrict-namespaces --cg --cg-timing --no-cg-timing --clean-env --run --scope --expose "
        "-Mo -Me",
        "every run has this without a flag: leave it out"},
    Habit{"--privileged --security-opt",
          "one thing at a time can be added: --cap, --device, --seccomp-allow"},
    Habit{"-d --detach --restart",
          "sbx stays in the foreground: put & behind it, or use a service"},
    Habit{"-p --port --ports", "--publish"},
    Habit{"--id --box-id --cidfile",
          "sbx gives a run its id, which --result, --events and sbx ps tell; a name is --name's"},
    Habit{"--unit --container-name", "--name"},
    Habit{"--entrypoint", "the words after -- take the place of an image's entrypoint and command"},
    Habit{"--mqueue", "message queues are shown by --device mqueue"},
    Habit{"--gpu --gpus", "graphics processors are shown by --device gpu"},
    Habit{"--overlay --overlay-src --tmp-overlay --ro-overlay",
          "a folder is shown so by --workspace DIR:overlay"},
    Habit{"-o --output --stdout --stderr --stderr-to-stdout --stderr_to_null --output-stderr",
          "the shell writes them to a file: sbx run -- CMD >FILE 2>&1"},
    Habit{"--profile --config --settings",
          "the profile is a word of its own: sbx run PROFILE -- CMD"},
};

/// Without their dashes.
std::vector<std::string_view> known_flags(const VerbSpec& verb) {
  std::vector<std::string_view> known;
  for (const OptionSpec& option : options())
    if (knows(verb, option)) known.push_back(option.name.substr(2));
  return known;
}

/// "`sbx explain`": those that know a flag of that name.
std::vector<std::string> verbs_with(std::string_view flag) {
  std::vector<std::string> names;
  for (const VerbSpec& verb : verbs())
    for (const OptionSpec& option : options())
      if (option.name == flag && knows(verb, option))
        names.push_back("`sbx " + std::string(verb.name) + "`");
  return names;
}

std::string_view habit(std::string_view name) {
  for (const Habit& entry : kHabits) {
    const std::vector<std::string_view> theirs = split(entry.theirs, ' ');
    if (std::ranges::find(theirs, name) != theirs.end()) return entry.ours;
  }
  // nsjail and firejail have one for each.
  const bool each = name.starts_with("--rlimit-") || name.starts_with("--rlimit_");
  return each ? "--rlimit" : std::string_view{};
}

/// Of verbs that start a run: a sentence, or the key of profiles that has no flag.
std::string advice(const VerbSpec& verb, std::string_view name) {
  if (find_option(verb, "--set") == nullptr) return "";
  if (const std::string_view ours = habit(name); !ours.empty())
    return ours.starts_with("--") ? "" : std::string(ours);
  if (!verbs_with(name).empty()) return "";
  std::string key(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(key, '-', '_');
  const std::string path = profile::find_meant(key, profile::profile_keys(), true);
  return path == key || path.ends_with("." + key) ? "a key without a flag: --set " + path + "=VALUE"
                                                  : "";
}

}  // namespace

std::string_view flag_meant(const VerbSpec& verb, std::string_view word) {
  const std::string_view name = flag_name(word);
  if (const std::string_view ours = habit(name); !ours.empty())
    return find_option(verb, ours) != nullptr ? ours : std::string_view{};
  // Without the dashes, which all of them share: in short ones they would count for likeness.
  std::vector<std::string_view> known = known_flags(verb);
  const std::string_view near = nearest_name(name.substr(name.starts_with("--") ? 2 : 0), known);
  return near.empty() ? near : std::string_view(near.data() - 2, near.size() + 2);
}

Error unknown_flag(const VerbSpec& verb, std::string_view word) {
  const std::string_view name = flag_name(word);
  const std::vector<std::string> others = verbs_with(name);
  std::string what = others.empty() ? "unknown flag " + quote(name)
                                    : "`sbx " + std::string(verb.name) + "` has no flag " +
                                          quote(name) + ", which is one of " + join_some(others, 3);
  const std::string_view near = others.empty() ? flag_meant(verb, word) : std::string_view{};
  if (!near.empty()) what += "; did you mean " + std::string(near) + "?";
  std::string hint = near.empty() ? advice(verb, name) : "";
  if (hint.empty()) hint = "all flags: sbx " + std::string(verb.name) + " --help";
  return usage_error(std::move(what), std::move(hint));
}

}  // namespace sbx::cli
