#include "cli/options.hpp"

#include <algorithm>
#include <array>

#include "cli/override.hpp"

namespace sbx::cli {
namespace {

constexpr std::array kVerbs{
    VerbSpec{Verb::run, "run", "run [PROFILE] [FLAGS] -- CMD [ARG...]",
             "run CMD once in a fresh sandbox", "PROFILE"},
    VerbSpec{Verb::batch, "batch", "batch JOBS.jsonl [FLAGS]",
             "run many jobs, one JSON object a line", "FILE"},
    VerbSpec{Verb::explain, "explain", "explain [PROFILE] [FLAGS] [-- CMD [ARG...]]",
             "print the plan of a run, or answer --why", "PROFILE"},
    VerbSpec{Verb::learn, "learn", "learn [-o OUT] [PROFILE] [FLAGS] -- CMD [ARG...]",
             "run CMD, and write the profile that it needs", "PROFILE"},
    VerbSpec{Verb::check, "check", "check PROFILE...", "print every problem of profiles",
             "PROFILE"},
    VerbSpec{Verb::profiles, "profiles", "profiles ls | show NAME",
             "list the profiles, or print one", "ls|show"},
    VerbSpec{Verb::doctor, "doctor", "doctor [--cgroup] [--json]",
             "try what this host can enforce; say what helps", ""},
    VerbSpec{Verb::ps, "ps", "ps [--json]", "list your live runs", ""},
    VerbSpec{Verb::stats, "stats", "stats [RUN] [FLAGS]", "print what live runs use", "RUN"},
    VerbSpec{Verb::pause, "pause", "pause RUN...", "stop live runs for a while", "RUN"},
    VerbSpec{Verb::resume, "resume", "resume RUN...", "let paused runs go on", "RUN"},
    VerbSpec{Verb::kill, "kill", "kill RUN... | --all [--signal NAME]", "end live runs", "RUN"},
    VerbSpec{Verb::diff, "diff", "diff [RUN [PATH...]] [FLAGS]",
             "show what a run has changed in its workspace", "KEPT"},
    VerbSpec{Verb::apply, "apply", "apply RUN [PATH...] [--json]",
             "put a run's kept changes in its workspace", "KEPT"},
    VerbSpec{Verb::discard, "discard", "discard RUN... | --all", "remove kept changes", "KEPT"},
    VerbSpec{Verb::artifacts, "artifacts",
             "artifacts ls | get | show | gc | verify [WORDS] [FLAGS]",
             "list, fetch or remove files that runs have left", "ls|get|show|gc|verify"},
    VerbSpec{Verb::mcp, "mcp", "mcp [PROFILE] [FLAGS]",
             "serve an agent: a Model Context Protocol server on stdio", "PROFILE"},
    VerbSpec{Verb::schema, "schema", "schema KIND", "print a JSON Schema",
             "profile|result|event|live|doctor|changes|artifacts|job|batch"},
    VerbSpec{Verb::completion, "completion", "completion bash | zsh | fish",
             "print completions for a shell", "bash|zsh|fish"},
};

constexpr std::string_view kPlan = "run batch explain learn mcp";
constexpr std::string_view kCommand = "run explain learn";
constexpr std::string_view kBatch = "batch";
constexpr std::string_view kRun = "run";
constexpr std::string_view kBad =
    "nonzero|signal|timeout|cpu_limit|idle_timeout|oom|output_limit|disk_limit|seccomp|interrupted|"
    "not_found|not_executable|setup_error|internal_error";

using enum Group;

constexpr std::array kOptions{
    OptionSpec{"--workspace", "DIR[:MODE]", "workspace", "DIR", workspace_value, files, false,
               kPlan, "the working folder: none, ro, rw, overlay [.:ro; mcp: .:overlay]"},
    OptionSpec{"--git", "MODE", "workspace.git", "none|protect", plain_value, files, false, kPlan,
               "protect: commits work, hooks and config are kept [none]"},
    OptionSpec{"--keep", "WHAT", "workspace.keep", "none|diff|apply", plain_value, files, false,
               kPlan, "the changes of an overlay: none, diff, apply [none]"},
    OptionSpec{"--workdir", "DIR", "workdir", "", text_value, files, false, kPlan,
               "start CMD in this folder of the sandbox"},
    OptionSpec{"--root", "ROOT", "root", "host|empty|DIR", root_value, files, false, kPlan,
               "root: host, empty, a folder, or oci:IMAGE[:REF] [host]"},
    OptionSpec{"--ro", "SRC[:DST]", "mounts", "FILE", bind_value, files, true, kPlan,
               "show a file or folder, read-only"},
    OptionSpec{"--rw", "SRC[:DST]", "mounts", "FILE", bind_value, files, true, kPlan,
               "show a file or folder, writable"},
    OptionSpec{"--tmpfs", "DST[:SIZE]", "mounts", "", tmpfs_value, files, true, kPlan,
               "an empty folder in memory"},
    OptionSpec{"--file", "DST=CONTENT", "mounts", "", file_value, files, true, kPlan,
               "a read-only file with this content"},
    OptionSpec{"--copy-in", "SRC:DST", "mounts", "FILE", copy_value, files, true, kPlan,
               "a copy in /tmp or another tmpfs, to write to"},
    OptionSpec{"--tool", "NAME", "tools", "python3|node|npm|go|cargo|java|gcc", single_entry, files,
               true, kPlan, "show a tool where the host has it"},
    OptionSpec{"--mask", "PATTERN", "mask", "", list_entry, files, true, kPlan,
               "hide what matches: /workspace/**/*.pem"},
    OptionSpec{"--device", "NAME", "devices", "gpu|kvm|fuse|net/tun|mqueue", list_entry, files,
               true, kPlan, "one more device: gpu, kvm, fuse, net/tun, mqueue"},
    OptionSpec{"--collect", "PATTERN", "artifacts.collect", "", list_entry, files, true, kPlan,
               "keep files of this path: /workspace/out/**"},

    OptionSpec{"--env", "K[=V]", "env", "", env_value, identity, true, kPlan,
               "set a variable, or pass the caller's"},
    OptionSpec{"--env-file", "FILE", "env", "FILE", env_file_value, identity, true,
               "run batch explain learn", "variables from a file, in docker's format"},
    OptionSpec{"--secret", "NAME=FROM", "secrets", "", secret_value, identity, true, kPlan,
               "a file /run/secrets/NAME: env:VAR, file:PATH, fd:N, command:TEXT"},
    OptionSpec{"--user", "UID[:GID]", "user", "", user_value, identity, false, kPlan,
               "ids inside the sandbox"},
    OptionSpec{"--hostname", "NAME", "hostname", "", text_value, identity, false, kPlan,
               "host name inside the sandbox [sandbox]"},
    OptionSpec{"--time-offset", "CLOCK=DURATION", "namespaces.time", "", map_entry, identity, true,
               kPlan, "shift the monotonic or boottime clock"},

    OptionSpec{"--memory", "SIZE", "limits.memory", "none", plain_value, limits, false, kPlan,
               "memory of the whole tree [512M]"},
    OptionSpec{"--memory-high", "SIZE", "limits.memory_high", "none", plain_value, limits, false,
               kPlan, "slow the tree and warn above this much"},
    OptionSpec{"--oom-kill", "WHAT", "limits.oom_kill", "process|tree", plain_value, limits, false,
               kPlan, "at the memory limit: process or tree [process]"},
    OptionSpec{"--swap", "SIZE", "limits.swap", "none", plain_value, limits, false, kPlan,
               "swap of the whole tree [0]"},
    OptionSpec{"--pids", "N", "limits.pids", "none", plain_value, limits, false, kPlan,
               "processes and threads at once [128]"},
    OptionSpec{"--cpus", "N", "limits.cpus", "none", plain_value, limits, false, kPlan,
               "processor share: 1.5 is one and a half cores"},
    OptionSpec{"--cpu-weight", "N", "limits.cpu_weight", "none", plain_value, limits, false, kPlan,
               "share where others compete: 200 is twice theirs"},
    OptionSpec{"--cpuset", "LIST", "limits.cpuset", "none", plain_value, limits, false, kPlan,
               "processors to run on: 0-3"},
    OptionSpec{"--io-read-bps", "SIZE", "limits.io.read_bps", "none", plain_value, limits, false,
               kPlan, "bytes read from disk a second"},
    OptionSpec{"--io-write-bps", "SIZE", "limits.io.write_bps", "none", plain_value, limits, false,
               kPlan, "bytes written to disk a second"},
    OptionSpec{"--io-read-iops", "N", "limits.io.read_iops", "none", plain_value, limits, false,
               kPlan, "disk reads a second"},
    OptionSpec{"--io-write-iops", "N", "limits.io.write_iops", "none", plain_value, limits, false,
               kPlan, "disk writes a second"},
    OptionSpec{"--timeout", "DURATION", "limits.wall", "none", plain_value, limits, false, kPlan,
               "wall clock [60s]"},
    OptionSpec{"--cpu-time", "DURATION", "limits.cpu", "none", plain_value, limits, false, kPlan,
               "processor time of the whole tree"},
    OptionSpec{"--idle", "DURATION", "limits.idle", "none", plain_value, limits, false, kPlan,
               "time without output"},
    OptionSpec{"--grace", "DURATION", "limits.grace", "", plain_value, limits, false, kPlan,
               "from SIGTERM to SIGKILL [0s]"},
    OptionSpec{"--stdout-limit", "SIZE", "limits.output.stdout", "none", plain_value, limits, false,
               kPlan, "bytes of standard output"},
    OptionSpec{"--stderr-limit", "SIZE", "limits.output.stderr", "none", plain_value, limits, false,
               kPlan, "bytes of standard error"},
    OptionSpec{"--on-exceed", "WHAT", "limits.output.on_exceed", "truncate|kill", plain_value,
               limits, false, kPlan, "beyond that: truncate or kill [truncate]"},
    OptionSpec{"--rlimit", "NAME=VALUE", "limits.rlimits", "", map_entry, limits, true, kPlan,
               "a limit of setrlimit(2): nofile=4096"},

    OptionSpec{"--net", "MODE", "network", "none|host", plain_value, network, false, kPlan,
               "none, or the host's own network [none]"},
    OptionSpec{"--allow", "HOST:PORT", "network.allow", "", list_entry, network, true, kPlan,
               "reach this and nothing else: *.NAME:443, udp:NAME:3478"},
    OptionSpec{"--publish", "[ADDR:]PORT:PORT", "network.publish", "", single_entry, network, true,
               kPlan, "a port of this host leads to one inside: 8080:8000"},

    OptionSpec{"--seccomp-allow", "NAME", "seccomp.allow", "", single_entry, hardening, true, kPlan,
               "allow a system call or @group"},
    OptionSpec{"--seccomp-deny", "NAME", "seccomp.deny", "", single_entry, hardening, true, kPlan,
               "deny a system call or @group"},
    OptionSpec{"--on-deny", "WHAT", "seccomp.on_deny", "errno|kill|log", plain_value, hardening,
               false, kPlan, "a denied call: errno, kill or log [errno]"},
    OptionSpec{"--cap", "NAME", "capabilities", "", single_entry, hardening, true, kPlan,
               "keep a capability inside the sandbox"},
    OptionSpec{"--landlock", "MODE", "landlock", "auto|require|off", plain_value, hardening, false,
               kPlan, "the second wall: auto, require or off [auto]"},
    OptionSpec{"--degrade", "CONTROL", "degrade", "cgroup|landlock|userns|idmap|overlay",
               single_entry, hardening, true, kPlan,
               "go on without cgroup, landlock, userns, idmap or overlay"},

    OptionSpec{"--stdin", "FROM", "stdio.stdin", "inherit|null|FILE", text_value, streams, false,
               kCommand, "inherit, null or a file [inherit]"},
    OptionSpec{"--tty", "", "stdio.tty", "", tty_value, streams, false, kCommand,
               "always give CMD a fresh terminal [when we have one]"},
    OptionSpec{"--no-tty", "", "stdio.tty", "", tty_value, streams, false, kCommand,
               "never give CMD a terminal"},

    OptionSpec{"--json", "", "", "", nullptr, output, false,
               "run explain doctor ps stats diff apply artifacts",
               "print JSON; of a run, with its output inside"},
    OptionSpec{"--cgroup", "", "", "", nullptr, output, false, "doctor",
               "only which limits hold, and in which cgroup"},
    OptionSpec{"--result", "FILE|fd:N", "", "FILE", nullptr, output, false, kRun,
               "write the result as JSON"},
    OptionSpec{"--events", "FILE|fd:N", "", "FILE", nullptr, output, false, kRun,
               "write events as JSON lines"},
    OptionSpec{"--junit", "FILE|fd:N", "", "FILE", nullptr, output, false, kRun,
               "write the run as a test, as JUnit's XML"},
    OptionSpec{"--ci", "", "", "", nullptr, output, false, kRun,
               "fold the output in a CI service's log, and annotate it"},
    OptionSpec{"--usage-interval", "DURATION", "events.usage_interval", "none", plain_value, output,
               false, kCommand, "how often events tell what is used [none]"},
    OptionSpec{"--log", "FILE", "", "FILE", nullptr, output, false, kPlan, "write sbx's own log"},
    OptionSpec{"--log-level", "LEVEL", "", "debug|info|warn|error", nullptr, output, false, kPlan,
               "debug, info, warn or error [info]"},
    OptionSpec{"--quiet", "", "", "", nullptr, output, false, "run batch",
               "no summaries: what was blocked, is kept; how a batch went"},
    OptionSpec{"--timing", "", "", "", nullptr, output, false, kRun,
               "print where the time went, step by step"},
    OptionSpec{"--output", "OUT", "", "FILE", nullptr, output, false, "batch learn artifacts",
               "a file; of artifacts get a folder, or - (also -o)"},
    OptionSpec{"--tight", "", "", "", nullptr, output, false, "learn",
               "allow exactly the system calls that CMD makes"},
    OptionSpec{"--why", "QUESTION", "", "path:|host:|syscall:|env:", nullptr, output, true,
               "explain", "answer path:/x, host:NAME:PORT, syscall:NAME or env:NAME instead"},
    OptionSpec{"--dry-run", "", "", "", nullptr, output, false, "run batch artifacts",
               "print what would be done, do nothing"},

    OptionSpec{"--jobs", "N", "", "", nullptr, jobs, false, kBatch,
               "jobs at the same time (also -j) [one a core]"},
    OptionSpec{"--profile", "PROFILE", "", "PROFILE", nullptr, jobs, false, kBatch,
               "the profile of jobs that name none [default]"},
    OptionSpec{"--total-memory", "SIZE", "", "", nullptr, jobs, false, kBatch,
               "all live jobs' limits.memory and output together [what is free]"},
    OptionSpec{"--resume", "", "", "", nullptr, jobs, false, kBatch,
               "run the jobs that have no result in OUT yet"},
    OptionSpec{"--retry", "N", "", "", nullptr, jobs, false, kBatch,
               "start a job up to N times again when sbx itself failed [0]"},
    OptionSpec{"--retry-on", "STATUS", "", kBad, nullptr, jobs, true, kBatch,
               "with --retry: when it ended so, instead"},
    OptionSpec{"--fail-fast", "", "", "", nullptr, jobs, false, kBatch,
               "end everything at the first job that is not ok"},

    OptionSpec{"--all", "", "", "", nullptr, live, false, "kill discard",
               "every run: those that live, or those whose changes are kept"},
    OptionSpec{"--signal", "NAME", "", "TERM|INT|HUP|QUIT|USR1|USR2|ABRT|ALRM|KILL", nullptr, live,
               false, "kill", "send CMD this instead of ending the run"},
    OptionSpec{"--watch", "", "", "", nullptr, live, false, "stats",
               "again and again, until the run has ended"},
    OptionSpec{"--interval", "DURATION", "", "", nullptr, live, false, "stats",
               "how often --watch looks [1s]"},

    OptionSpec{"--stat", "", "", "", nullptr, kept, false, "diff",
               "only how much of which path has changed"},
    OptionSpec{"--patch", "", "", "", nullptr, kept, false, "diff",
               "only the lines, as `git apply` takes them"},

    OptionSpec{"--older-than", "DURATION", "", "", nullptr, kept, false, "artifacts",
               "gc: also runs that ended before that: 7d"},
    OptionSpec{"--max", "SIZE", "", "", nullptr, kept, false, "artifacts",
               "gc: also the oldest runs, until the rest fits"},

    OptionSpec{"--name", "NAME", "", "", nullptr, general, false, kRun,
               "what ps, stats, pause, resume and kill may call the run"},
    OptionSpec{"--pin", "SHA256", "", "", nullptr, general, false, kRun,
               "refuse another profile than the one with this sum"},
    OptionSpec{"--set", "KEY=VALUE", "", "", set_value, general, true, kPlan,
               "any key of a profile: vars.mem=2G"},
    OptionSpec{"--help", "", "", "", nullptr, general, false,
               "run batch explain learn check profiles doctor ps stats pause resume kill diff "
               "apply discard "
               "artifacts mcp schema completion",
               "this text (also -h)"},
};

}  // namespace

std::span<const VerbSpec> verbs() { return kVerbs; }
std::span<const OptionSpec> options() { return kOptions; }

std::string_view title(Group group) {
  switch (group) {
    case files:
      return "Files and folders";
    case identity:
      return "Environment and identity";
    case limits:
      return "Limits (`none` lifts one; SIZE as 256M, DURATION as 10s)";
    case network:
      return "Network";
    case hardening:
      return "Hardening";
    case streams:
      return "Standard streams";
    case output:
      return "Result and log";
    case jobs:
      return "Jobs";
    case live:
      return "Live runs";
    case kept:
      return "Kept changes and artifacts";
    case general:
      return "General";
  }
  return "";
}

const VerbSpec* find_verb(std::string_view name) {
  const auto* const found = std::ranges::find(kVerbs, name, &VerbSpec::name);
  return found == kVerbs.end() ? nullptr : found;
}

bool knows(const VerbSpec& verb, const OptionSpec& option) {
  // Whole words only: no verb's name is part of another's.
  return option.verbs.find(verb.name) != std::string_view::npos;
}

const OptionSpec* find_option(const VerbSpec& verb, std::string_view name) {
  // A short flag may have its value behind it: -j4.
  if (name.starts_with('-') && !name.starts_with("--")) name = name.substr(0, 2);
  if (name == "-h") name = "--help";
  if (name == "-o") name = "--output";
  if (name == "-j") name = "--jobs";
  const auto* const found = std::ranges::find(kOptions, name, &OptionSpec::name);
  return found == kOptions.end() || !knows(verb, *found) ? nullptr : found;
}

}  // namespace sbx::cli
