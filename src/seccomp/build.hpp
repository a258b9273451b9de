// From a profile's `seccomp` section to a policy, and from a policy to a BPF program.
#pragma once

#include <linux/filter.h>

#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/policy.hpp"
#include "seccomp/request.hpp"

namespace sbx::seccomp {

/// The policy for a request; an Error of kind profile for one that check.hpp has something against.
Result<Policy> build_policy(const Request& request);

/// A BPF program: borrowed from those that were compiled with sbx, or its own.
class Filter {
 public:
  explicit Filter(std::span<const sock_filter> built_in) : built_in_(built_in) {}
  explicit Filter(std::vector<sock_filter> own) : own_(std::move(own)) {}

  [[nodiscard]] std::span<const sock_filter> program() const {
    return own_.empty() ? built_in_ : std::span<const sock_filter>(own_);
  }

 private:
  std::span<const sock_filter> built_in_{};
  std::vector<sock_filter> own_{};
};

/// layout(build_policy(request)), but for the requests of the built-in profiles nothing is built
/// or copied: the way a run takes.
Result<Filter> filter_for(const Request& request);

/// Does its filter let any call pass by which a process uses the keys of its keyrings
/// (keyrings(7))?
bool may_use_keys(const Request& request);

}  // namespace sbx::seccomp
