// A command line after parsing, as plain data; every command takes this.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "profile/load.hpp"

namespace sbx::cli {

/// Where `run` is asked to report to. Known even when the rest of the line is wrong, so that a
/// program that waits for a result object gets one that says so.
struct Reporting {
  bool json = false;
  std::string result{};  ///< FILE or fd:N; empty: not asked for
  std::string events{};
  std::string junit{};  ///< likewise
  bool ci = false;      ///< --ci given
};

struct Arguments {
  const VerbSpec* verb = nullptr;
  bool help = false;
  std::vector<std::string> operands;         ///< the words that are neither flags nor the command
  std::vector<std::string> command;          ///< after `--`
  std::vector<profile::Override> overrides;  ///< in the order of the line
  std::string parted;  ///< if the operand is the rest of a flag's value: a hint at that
  Reporting reporting;
  std::string name;  ///< run: what others may call it; empty: nothing but its id
  std::string log;
  std::string log_level;
  std::vector<std::string> why;  ///< explain: questions, in the order of the line
  std::string pin;               ///< run: the profile's SHA-256 has to be this; empty: any
  /// mcp, learn: the flags that change the profile, as `run` takes them
  std::vector<std::string> policy;
  bool dry_run = false;
  bool timing = false;
  bool quiet = false;
  std::string output;        ///< learn: where the profile goes, batch: the results; empty: standard
                             ///< output. artifacts get: the folder, or "-"; empty: the current one
  std::string older_than;    ///< artifacts gc; empty: not given
  std::string max;           ///< artifacts gc; empty: not given
  bool tight = false;        ///< learn: allow exactly the calls that were made
  bool cgroup_only = false;  ///< doctor: the limits and nothing else
  std::string jobs;          ///< batch: how many at a time; empty: not given
  std::string profile;       ///< batch: of jobs that name none; empty: default
  std::string total_memory;  ///< batch: of all live jobs; empty: not given
  std::string retry;         ///< batch: how often; empty: not given
  std::vector<std::string> retry_on;  ///< batch: the names of statuses
  bool resume = false;                ///< batch
  bool fail_fast = false;             ///< batch
  bool all = false;                   ///< kill, discard: every run
  bool stat_only = false;             ///< diff: no lines
  bool patch_only = false;            ///< diff: nothing but the lines
  bool watch = false;                 ///< stats: again and again
  std::string interval;               ///< between two looks; empty: not given
  std::string signal;                 ///< kill: the name of one; empty: the run is ended
};

}  // namespace sbx::cli
