// The table itself: every key of the grammar, in the order in which a person would write them.
#include "profile/keys.hpp"

#include <array>

#include "profile/special.hpp"

namespace sbx::profile {
namespace {

using P = Profile;
using Words = std::string_view;

constexpr std::array<Words, 4> kWorkspaceModes{"none", "ro", "rw", "overlay"};
constexpr std::array<Words, 3> kKeeps{"none", "diff", "apply"};
constexpr std::array<Words, 2> kGitModes{"none", "protect"};
constexpr std::array<Words, 2> kOnExceed{"truncate", "kill"};
constexpr std::array<Words, 2> kOomKills{"process", "tree"};
constexpr std::array<Words, 3> kOnDeny{"errno", "kill", "log"};
constexpr std::array<Words, 3> kLandlock{"auto", "require", "off"};
constexpr std::array<Words, 2> kOnLeaks{"redact", "fail"};
constexpr std::array<Words, 3> kTty{"auto", "always", "never"};

/// The enumerators of these types stand in the order of the words above.
template <class E>
constexpr E nth(std::size_t index) {
  return static_cast<E>(index);
}

constexpr Key kWorkspace[] = {
    {"source", "Folder to show, relative to the caller's directory",
     SpecialSlot{[](Decoder& d, const Node& n) {
                   d.profile().workspace.named = d.read_text(n, d.profile().workspace.source);
                 },
                 schema_text}},
    {"at", "Where the payload sees it", TextSlot{[](P& p) -> auto& { return p.workspace.at; }}},
    {"mode", "none, ro (default), rw, or overlay: writable, changes kept apart",
     ChoiceSlot{kWorkspaceModes,
                [](P& p, std::size_t i) { p.workspace.mode = nth<WorkspaceMode>(i); }}},
    {"keep", "overlay: what becomes of the changes",
     ChoiceSlot{kKeeps, [](P& p, std::size_t i) { p.workspace.keep = nth<Keep>(i); }}},
    {"size", "overlay: how much may change",
     SizeSlot{[](P& p) -> auto& { return p.workspace.size; }}},
    {"git", "none (default), or protect: commits work, hooks and configuration cannot be changed",
     ChoiceSlot{kGitModes, [](P& p, std::size_t i) { p.workspace.git = nth<GitMode>(i); }}},
};

constexpr Key kRootDir[] = {
    {"dir", "A folder that becomes the root, read-only",
     TextSlot{[](P& p) -> auto& { return p.root.path; }}},
};
constexpr Key kRootOci[] = {
    {"oci", "An OCI image layout, or an archive of docker save or podman save",
     TextSlot{[](P& p) -> auto& { return p.root.path; }}},
    {"ref", "Which image in it", TextSlot{[](P& p) -> auto& { return p.root.ref; }}},
    {"max", "How much it may hold unpacked", SizeSlot{[](P& p) -> auto& { return p.root.max; }}},
};

constexpr Key kUser[] = {
    {"uid", "User id inside: a number, or caller",
     IdSlot{[](P& p) -> auto& { return p.user.uid; }}},
    {"gid", "Group id inside: a number, or caller",
     IdSlot{[](P& p) -> auto& { return p.user.gid; }}},
};

constexpr Key kEnv[] = {
    {"pass", "Variables taken from the caller, where it has them",
     TextListSlot{[](P& p) -> auto& { return p.env.pass; }}},
    {"set", "Variables with their values; these win",
     TextMapSlot{[](P& p) -> auto& { return p.env.set; }}},
};

constexpr Key kSecret[] = {
    {"from", "env:NAME, file:PATH, fd:N or command:...",
     SpecialSlot{read_secret_source, schema_text}},
    {"at", "The file that holds it inside (default: /run/secrets/NAME)",
     TextSlot{[](P& p) -> auto& { return p.secrets.back().at; }}},
    {"env", "The variable that holds it inside; then there is a file only with `at`",
     TextSlot{[](P& p) -> auto& { return p.secrets.back().env; }}},
    {"perm", "The file's permissions, octal and in quotes (default \"0400\")",
     SpecialSlot{read_secret_perm, schema_perm}},
    {"redact", "Whether it is blotted out of the output",
     SwitchSlot{[](P& p) -> auto& { return p.secrets.back().redact; }}},
};

constexpr Key kNetworkLimits[] = {
    {"connections", "How many at once, 1 to 65535 (default 512)",
     CountSlot{[](P& p) -> auto& { return p.network.limits.connections; }}},
    {"down", "Bytes a second from outside, such as 10M/s",
     RateLimitSlot{[](P& p) -> auto& { return p.network.limits.down; }}},
    {"up", "Bytes a second to outside, such as 1M/s",
     RateLimitSlot{[](P& p) -> auto& { return p.network.limits.up; }}},
    {"total", "Bytes both ways, of the whole run",
     SizeLimitSlot{[](P& p) -> auto& { return p.network.limits.total; }}},
};

constexpr Key kNetwork[] = {
    {"allow", "[udp:]HOST:PORT that may be reached: a name, *.NAME, address or CIDR",
     TextListSlot{[](P& p) -> auto& { return p.network.allow; }}},
    {"deny",
     "private, link-local, loopback, multicast, reserved, or rules as in allow; wins over allow",
     TextListSlot{[](P& p) -> auto& { return p.network.deny; }}},
    {"host_ports", "TCP ports of the host's loopback that may be reached",
     PortListSlot{[](P& p) -> auto& { return p.network.host_ports; }}},
    {"publish", "[ADDRESS:]HOST_PORT:PORT that the host can reach",
     TextListSlot{[](P& p) -> auto& { return p.network.publish; }}},
    {"verify_name", "Whether TLS and HTTP must be for the name that was allowed (default true)",
     SwitchSlot{[](P& p) -> auto& { return p.network.verify_name; }}},
    {"proxy", "none (default), env, or http://[USER:PASSWORD@]HOST:PORT to go through",
     TextSlot{[](P& p) -> auto& { return p.network.proxy; }}},
    {"limits", "Of all connections together", SectionSlot{kNetworkLimits}},
};

constexpr Key kIo[] = {
    {"read_bps", "Bytes read a second",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.io.read_bps; }}},
    {"write_bps", "Bytes written a second",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.io.write_bps; }}},
    {"read_iops", "Reads a second",
     CountLimitSlot{[](P& p) -> auto& { return p.limits.io.read_iops; }}},
    {"write_iops", "Writes a second",
     CountLimitSlot{[](P& p) -> auto& { return p.limits.io.write_iops; }}},
};

constexpr Key kOutput[] = {
    {"stdout", "Bytes of standard output",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.output.stdout_bytes; }}},
    {"stderr", "Bytes of standard error",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.output.stderr_bytes; }}},
    {"on_exceed", "truncate (keeps head and tail) or kill",
     ChoiceSlot{kOnExceed,
                [](P& p, std::size_t i) { p.limits.output.on_exceed = nth<OnExceed>(i); }}},
};

constexpr Key kLimits[] = {
    {"memory", "Memory of the whole tree, tmpfs included (default 512M)",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.memory; }}},
    {"memory_high", "Memory above which the tree is slowed down, and a warning given",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.memory_high; }}},
    {"oom_kill", "What ends when the memory limit is reached: a process (default) or the tree",
     ChoiceSlot{kOomKills, [](P& p, std::size_t i) { p.limits.oom_kill = nth<OomKill>(i); }}},
    {"swap", "Swap of the whole tree (default 0)",
     SizeLimitSlot{[](P& p) -> auto& { return p.limits.swap; }}},
    {"pids", "Processes and threads of the whole tree (default 128)",
     CountLimitSlot{[](P& p) -> auto& { return p.limits.pids; }}},
    {"cpus", "Cores' worth of CPU time, such as 1.5",
     CoresLimitSlot{[](P& p) -> auto& { return p.limits.cpus; }}},
    {"cpu_weight", "Share of a CPU that others want too, from 1 to 10000; theirs is 100",
     CountLimitSlot{[](P& p) -> auto& { return p.limits.cpu_weight; }}},
    {"cpuset", "The CPUs that may be used, such as \"0-3\"",
     MaybeTextSlot{[](P& p) -> auto& { return p.limits.cpuset; }}},
    {"io", "Disk bandwidth, for each device", SectionSlot{kIo}},
    {"wall", "Time from start to end (default 60s)",
     TimeLimitSlot{[](P& p) -> auto& { return p.limits.wall; }}},
    {"cpu", "CPU time of the whole tree",
     TimeLimitSlot{[](P& p) -> auto& { return p.limits.cpu; }}},
    {"idle", "Time without output", TimeLimitSlot{[](P& p) -> auto& { return p.limits.idle; }}},
    {"grace", "Time between TERM and KILL (default 0s)",
     TimeSlot{[](P& p) -> auto& { return p.limits.grace; }}},
    {"output", "How much may be printed", SectionSlot{kOutput}},
    {"rlimits", "Limits of setrlimit(2), lower case without RLIMIT_",
     SpecialSlot{read_rlimits, schema_rlimits}},
};

constexpr Key kArgRule[] = {
    {"call", "System call", TextSlot{[](P& p) -> auto& { return p.seccomp.args.back().call; }}},
    {"arg", "Which argument, from 0",
     SpecialSlot{[](Decoder& d, const Node& n) {
                   std::uint64_t value = 0;
                   if (d.read_count(n, value, 5))
                     d.profile().seccomp.args.back().arg = static_cast<unsigned>(value);
                 },
                 [] {
                   return std::string(R"({"anyOf":[{"type":"integer","minimum":0,"maximum":5},)"
                                      R"({"$ref":"#/$defs/variable"}]})");
                 }}},
    {"in", "Values that are allowed: numbers or constants such as AF_UNIX",
     SpecialSlot{read_arg_values, schema_arg_values}},
};

constexpr Key kSeccomp[] = {
    {"on_deny", "errno (default), kill or log",
     ChoiceSlot{kOnDeny, [](P& p, std::size_t i) { p.seccomp.on_deny = nth<OnDeny>(i); }}},
    {"allow", "Groups (@name) and calls, added to @default; !replace starts from nothing",
     TextListSlot{[](P& p) -> auto& { return p.seccomp.allow; }}},
    {"deny", "Groups and calls that are denied all the same",
     TextListSlot{[](P& p) -> auto& { return p.seccomp.deny; }}},
    {"args", "Calls that are allowed with certain arguments only",
     SpecialSlot{read_arg_rules, schema_arg_rules}},
};

constexpr Key kTime[] = {
    {"monotonic", "Offset of CLOCK_MONOTONIC, such as -3d",
     OffsetSlot{[](P& p) -> auto& { return p.time.monotonic; }}},
    {"boottime", "Offset of CLOCK_BOOTTIME",
     OffsetSlot{[](P& p) -> auto& { return p.time.boottime; }}},
};
constexpr Key kNamespaces[] = {
    {"time", "Time offsets; user, pid, mount, ipc, uts, cgroup and net namespaces are always there",
     SectionSlot{kTime}},
};

constexpr Key kStdio[] = {
    {"stdin", "inherit (default), null, or a file", SpecialSlot{read_stdin, schema_stdin}},
    {"tty", "auto (default: when the caller has one), always or never",
     ChoiceSlot{kTty, [](P& p, std::size_t i) { p.stdio.tty = nth<TtyMode>(i); }}},
};

constexpr Key kEvents[] = {
    {"usage_interval", "How often --events tells what the run uses; none (default): never",
     TimeLimitSlot{[](P& p) -> auto& { return p.events.usage_interval; }}},
};

constexpr Key kArtifacts[] = {
    {"collect", "Paths and patterns, as in mask, of files to keep after the run",
     TextListSlot{[](P& p) -> auto& { return p.artifacts.collect; }}},
    {"max", "How many bytes to keep, of all files together (default 50M)",
     SizeSlot{[](P& p) -> auto& { return p.artifacts.max; }}},
    {"max_files", "How many files to keep (default 1000)",
     CountSlot{[](P& p) -> auto& { return p.artifacts.max_files; }}},
    {"ttl", "How long to keep them (default 7d); none: until they are removed",
     TimeLimitSlot{[](P& p) -> auto& { return p.artifacts.ttl; }}},
};

constexpr Key kProfile[] = {
    {"version", "The format's version: 1", SpecialSlot{read_ignored, schema_version}},
    {"name", "Default: the file's name", TextSlot{[](P& p) -> auto& { return p.name; }}},
    {"description", "One line for people", TextSlot{[](P& p) -> auto& { return p.description; }}},
    {"extends", "Profiles this one stands on; later ones win",
     SpecialSlot{read_ignored, schema_extends}},
    {"vars", "Values for ${name}", SpecialSlot{read_ignored, schema_vars}},
    {"command", "What to run when the command line has no `-- CMD`",
     SpecialSlot{[](Decoder& d, const Node& n) {
                   d.profile().command.clear();
                   d.read_slot(n, TextListSlot{[](P& p) -> auto& { return p.command; }});
                 },
                 schema_texts}},
    {"root", "host (default), empty, {dir: FOLDER} or {oci: LAYOUT, ref: NAME}",
     SpecialSlot{read_root, schema_root}},
    {"workspace", "The caller's folder and how the payload sees it", SectionSlot{kWorkspace}},
    {"mounts", "Files and folders to show; SRC:DST[:ro|rw] or a map",
     SpecialSlot{read_mounts, schema_mounts}},
    {"tools", "Programs to expose read-only where the host keeps them; NAME? may be missing",
     TextListSlot{[](P& p) -> auto& { return p.tools; }}},
    {"mask", "Paths and patterns to hide", TextListSlot{[](P& p) -> auto& { return p.mask; }}},
    {"workdir", "Directory to start in (default: the workspace)",
     TextSlot{[](P& p) -> auto& { return p.workdir ? *p.workdir : p.workdir.emplace(); }}},
    {"user", "Ids inside; never uid 0 of the host", SectionSlot{kUser}},
    {"hostname", "Host name inside", TextSlot{[](P& p) -> auto& { return p.hostname; }}},
    {"env", "Environment; nothing else enters", SectionSlot{kEnv}},
    {"secrets", "Values handed over as files or variables",
     SpecialSlot{read_secrets, schema_secrets}},
    {"redact_patterns",
     "Keys to mask that nobody declared, by their shape: aws, github, pem, all ...",
     TextListSlot{[](P& p) -> auto& { return p.redact_patterns; }}},
    {"on_leak", "A secret in the output: redact (default), or fail, which ends the run too",
     ChoiceSlot{kOnLeaks, [](P& p, std::size_t i) { p.on_leak = nth<OnLeak>(i); }}},
    {"network", "none (default), host, or an allow list",
     SpecialSlot{read_network, schema_network}},
    {"limits", "Limits; none lifts one", SectionSlot{kLimits}},
    {"seccomp", "System calls", SectionSlot{kSeccomp}},
    {"capabilities", "Capabilities kept inside the sandbox's user namespace",
     SpecialSlot{read_capabilities, schema_texts}},
    {"landlock", "auto (default), require or off",
     ChoiceSlot{kLandlock, [](P& p, std::size_t i) { p.landlock = nth<LandlockMode>(i); }}},
    {"namespaces", "Time offsets", SectionSlot{kNamespaces}},
    {"devices", "Devices beyond null zero full random urandom tty ptmx",
     TextListSlot{[](P& p) -> auto& { return p.devices; }}},
    {"stdio", "Where input comes from, and the terminal", SectionSlot{kStdio}},
    {"events", "What --events tells", SectionSlot{kEvents}},
    {"artifacts", "Files to keep after the run", SectionSlot{kArtifacts}},
    {"degrade", "Controls that may be missing on a weaker host",
     TextListSlot{[](P& p) -> auto& { return p.degrade; }}},
};

}  // namespace

std::span<const Key> profile_keys() { return kProfile; }
std::span<const Key> root_dir_keys() { return kRootDir; }
std::span<const Key> root_oci_keys() { return kRootOci; }
std::span<const Key> network_keys() { return kNetwork; }
std::span<const Key> secret_keys() { return kSecret; }
std::span<const Key> arg_rule_keys() { return kArgRule; }

}  // namespace sbx::profile
