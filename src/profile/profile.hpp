// The whole data model of a profile (contract, section 5), one struct per section, every default
// visible. Pure data: decode.cpp fills it, plan/build.cpp reads it. An empty Profile is `default`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace sbx::profile {

using Bytes = std::uint64_t;
using Duration = std::chrono::milliseconds;
/// The kernel's offsets and our timers count nanoseconds in 64 bits: a hundred years stay far
/// below.
inline constexpr Duration kLongestTime = std::chrono::hours{24} * 36525;

enum class RootKind { host, dir, oci, empty };

struct Root {
  RootKind kind = RootKind::host;
  std::string path{};           ///< dir: and oci: absolute, resolved against the profile's folder
  std::string ref{};            ///< oci only; empty: the one called latest, or the only one
  Bytes max = Bytes{8} << 30U;  ///< oci only: how much it may hold unpacked
};

enum class WorkspaceMode { none, ro, rw, overlay };
enum class Keep { none, diff, apply };
enum class GitMode { none, protect };

struct Workspace {
  std::string source = ".";  ///< relative to the caller's directory
  bool named = false;        ///< source was written by somebody: home and above are allowed then
  std::string at = "/workspace";
  WorkspaceMode mode = WorkspaceMode::ro;
  Keep keep = Keep::none;          ///< overlay only
  Bytes size = Bytes{256} << 20U;  ///< overlay only: bound of the changes, in bytes
  GitMode git = GitMode::none;     ///< rw and overlay only: what of the work tree's .git is kept
};

struct BindMount {
  std::string source;  ///< absolute, or relative to `base`
  std::string base;    ///< the folder that a relative source is resolved beneath
  std::string target;  ///< absolute, normalised
  bool writable = false;
  bool optional = false;
};

struct TmpfsMount {
  std::string target;
  Bytes size = Bytes{64} << 20U;
  std::uint64_t inodes = 20000;
  bool exec = true;
};

struct FileMount {
  std::string target;
  std::string content;
  unsigned perm = 0444;
  bool own = false;  ///< in scratch, and the payload's to change, rename and remove
};

/// A copy of the host's, in scratch: the payload's own, and gone at the end.
struct CopyMount {
  std::string source;  ///< as of a BindMount
  std::string base;
  std::string target;
  bool optional = false;
};

struct Mount {
  std::variant<BindMount, TmpfsMount, FileMount, CopyMount> what;
  Origin origin;
};

struct User {
  std::optional<std::uint32_t> uid;  ///< inside; nullopt = the caller's (1000 when root starts sbx)
  std::optional<std::uint32_t> gid;
};

struct Env {
  std::vector<std::string> pass;           ///< names taken from the caller
  std::map<std::string, std::string> set;  ///< name -> value; wins over pass
};

/// The value itself is never part of a profile, nor of a plan.
struct Secret {
  std::string name{};
  std::string from{};  ///< "env:NAME", "file:PATH", "fd:N" or "command:..."
  std::string base{};  ///< the folder that a relative PATH is resolved beneath
  std::string at{};    ///< the file inside; empty: none was written
  std::string env{};   ///< the variable inside; empty: none
  unsigned perm = 0400;
  bool redact = true;

  /// Where the file is; empty: it is a variable only.
  [[nodiscard]] std::string place() const {
    return at.empty() && env.empty() ? "/run/secrets/" + name : at;
  }
};

/// What becomes of a run whose output has a secret in it.
enum class OnLeak { redact, fail };

enum class NetworkMode { none, host, filtered };

struct NetworkLimits {
  std::uint64_t connections = 512;
  std::optional<Bytes> down{};  ///< a second
  std::optional<Bytes> up{};    ///< a second
  std::optional<Bytes> total{};
};

/// Beyond `mode`: of filtered only, and as written (network/rule.hpp reads rules).
struct Network {
  NetworkMode mode = NetworkMode::none;
  std::vector<std::string> allow{};
  std::vector<std::string> deny{};
  std::vector<std::uint16_t> host_ports{};
  std::vector<std::string> publish{};
  bool verify_name = true;
  std::string proxy = "none";  ///< "none", "env", or its URL, maybe with a password
  NetworkLimits limits{};
};

struct IoLimits {  ///< for each device behind a writable mount; unset = no limit
  std::optional<Bytes> read_bps{};
  std::optional<Bytes> write_bps{};
  std::optional<std::uint64_t> read_iops{};
  std::optional<std::uint64_t> write_iops{};
  [[nodiscard]] bool any() const { return read_bps || write_bps || read_iops || write_iops; }
};

enum class OnExceed { truncate, kill };

/// What goes when the memory limit is reached: the process that the kernel chooses, or all of them.
enum class OomKill { process, tree };

/// What is kept of a captured stream whose output has no limit.
inline constexpr Bytes kCaptured = Bytes{10} << 20U;

struct OutputLimits {
  std::optional<Bytes> stdout_bytes{};
  std::optional<Bytes> stderr_bytes{};
  OnExceed on_exceed = OnExceed::truncate;
};

/// nullopt means "no limit" (`none` in the file), everywhere below.
struct Limits {
  std::optional<Bytes> memory = Bytes{512} << 20U;
  std::optional<Bytes> memory_high{};  ///< above it the kernel slows the tree and takes memory back
  OomKill oom_kill = OomKill::process;
  std::optional<Bytes> swap = 0;
  std::optional<std::uint64_t> pids = 128;
  std::optional<double> cpus{};               ///< cores, e.g. 1.5
  std::optional<std::uint64_t> cpu_weight{};  ///< share among those who want the CPU; others: 100
  std::optional<std::string> cpuset{};
  IoLimits io{};
  std::optional<Duration> wall = Duration{60'000};
  std::optional<Duration> cpu{};
  std::optional<Duration> idle{};
  Duration grace{0};
  OutputLimits output{};
  /// Name as in setrlimit(2) without RLIMIT_, lower case -> soft = hard value; nullopt = unlimited.
  std::map<std::string, std::optional<std::uint64_t>> rlimits{
      {"core", 0}, {"nofile", 1024}, {"sigpending", 1024}};
};

enum class OnDeny { fail, kill, log };  ///< `errno` in the file is `fail` (errno is a macro)

struct ArgRule {  ///< allow `call` only when argument `arg` is one of `in`
  std::string call;
  unsigned arg = 0;
  std::vector<std::uint64_t> in;
};

struct Seccomp {
  OnDeny on_deny = OnDeny::fail;
  std::vector<std::string> allow{"@default"};  ///< "@group" or a system call's name
  std::vector<std::string> deny{};
  std::vector<ArgRule> args{};
};

enum class LandlockMode { automatic, require, off };

struct TimeOffsets {
  std::optional<std::chrono::milliseconds> monotonic{};
  std::optional<std::chrono::milliseconds> boottime{};
  [[nodiscard]] bool any() const { return monotonic || boottime; }
};

enum class TtyMode { automatic, always, never };

struct Stdio {
  std::string input = "inherit";  ///< "inherit", "null", or a path (absolute)
  TtyMode tty = TtyMode::automatic;
};

struct Events {
  std::optional<Duration> usage_interval{};  ///< nullopt: no `usage` events
};

struct Artifacts {
  std::vector<std::string> collect{};  ///< as the patterns of `mask`
  Bytes max = Bytes{50} << 20U;        ///< of all together
  std::uint64_t max_files = 1000;
  std::optional<Duration> ttl = Duration{std::chrono::days(7)};  ///< nullopt: they stay
};

struct Profile {
  std::string name = "default";
  std::string description{};
  std::vector<std::string> command{};
  Root root{};
  Workspace workspace{};
  std::vector<Mount> mounts{};
  std::vector<std::string> tools{};      ///< "node", or "node?" when it may be missing (see below)
  std::vector<std::string> mask{};       ///< absolute paths or globs (**, *, ?) inside the sandbox
  std::optional<std::string> workdir{};  ///< nullopt: the workspace, or / when there is none
  User user{};
  std::string hostname = "sandbox";
  Env env{};
  std::vector<Secret> secrets{};
  std::vector<std::string> redact_patterns{};  ///< names of redact::pattern_names()
  OnLeak on_leak = OnLeak::redact;
  Network network{};
  Limits limits{};
  Seccomp seccomp{};
  std::vector<std::string> capabilities{};  ///< "cap_chown"; what is none as it was written
  LandlockMode landlock = LandlockMode::automatic;
  TimeOffsets time{};
  std::vector<std::string> devices{};  ///< nodes below /dev, and kGpu
  Stdio stdio{};
  Events events{};
  Artifacts artifacts{};
  std::vector<std::string> degrade{};

  /// Who wrote what: dotted key path ("limits.memory", "mounts[2]") -> place. Keys nobody wrote are
  /// absent; explain calls those "default".
  std::map<std::string, Origin, std::less<>> origins{};
  /// Hex SHA-256 over every file (and flag) that made this profile, in the order they were read.
  std::string sha256{};
};

/// An entry of `tools` with a trailing '?' may be missing on the host without an error.
inline bool tool_is_optional(std::string_view entry) { return entry.ends_with('?'); }
/// The entry without its '?'.
inline std::string_view tool_name(std::string_view entry) {
  return tool_is_optional(entry) ? entry.substr(0, entry.size() - 1) : entry;
}

}  // namespace sbx::profile
