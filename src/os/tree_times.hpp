// The processor time of a tree where no cgroup counts it, from one look at the tree to the next.
//
// The kernel adds up what a process has used for the one that waits for it, and for nobody when its
// parent ignores SIGCHLD (getrusage(2)). So each process that a look finds is counted as far as it
// was seen, however it ends: never too much, and too little by what nobody has looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "os/tree_sample.hpp"

namespace sbx::os {

class TreeTimes {
 public:
  void note(const TreeSample& sample);
  /// nullopt: nobody has looked.
  [[nodiscard]] std::optional<CpuTime> used() const;

 private:
  struct Living {
    std::uint64_t started = 0;
    CpuTime own{};
    std::uint64_t look = 0;
  };

  void see(Living& process, const ProcessTime& time);

  std::unordered_map<std::string, Living> living_{};
  std::uint64_t looks_ = 0;
  CpuTime seen_{};    ///< of every process that was ever found
  CpuTime waited_{};  ///< the most that the kernel had added up
};

}  // namespace sbx::os
