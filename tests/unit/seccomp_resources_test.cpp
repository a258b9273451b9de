// What no limit counts, and a limit that must stay: the filter answers for both.
#include <doctest/doctest.h>

#include "seccomp_testing.hpp"

using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)

TEST_CASE("huge pages are asked for in vain where the filter has to see to that") {
  struct Way {
    const char* call;
    unsigned argument;
    std::uint64_t flag;
  };
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const Asked without{Request{.on_deny = mode, .no_huge_pages = true}};
    const Asked with{Request{.on_deny = mode}};
    for (const Way& way :
         {Way{"mmap", 3, 0x40000}, Way{"memfd_create", 1, 4}, Way{"shmget", 2, 04000}}) {
      Args args{};
      check_answer(without, way.call, args, kAllow);
      args.at(way.argument) = way.flag | 1U;
      check_answer(without, way.call, args, fails(ENOMEM));
      check_answer(with, way.call, args, kAllow);
    }
  }
}

TEST_CASE("the limit on core files stays, and nobody is told, unless there may be cores") {
  constexpr std::uint64_t kCore = 4;
  constexpr std::uint64_t kRound = std::uint64_t{7} << 32U;
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const Asked without{Request{.on_deny = mode}};
    const Asked with{Request{.on_deny = mode, .no_cores = false}};
    check_answer(without, "setrlimit", {kCore}, fails(0));
    check_answer(without, "setrlimit", {kCore + 1}, kAllow);
    check_answer(with, "setrlimit", {kCore}, kAllow);
    for (const std::uint64_t address : {std::uint64_t{4096}, kRound}) {
      CHECK(without("prlimit64", {0, kCore, address}) == fails(0));
      CHECK(without("prlimit64", {0, kCore, address, address}) == fails(0));
      CHECK(without("prlimit64", {0, kCore + 1, address}) == kAllow);
      CHECK(with("prlimit64", {0, kCore, address}) == kAllow);
    }
    CHECK(without("prlimit64", {0, kCore, 0, kRound}) == kAllow);  // asks
  }
}
