// The sum of limits stays within what there is, whoever comes.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "batch/admission.hpp"

using namespace sbx::batch;

namespace {

void release(Admission& admission, const Need& need) {
  admission.release_place(need);
  admission.release_memory(need);
}

}  // namespace

TEST_CASE("memory, cores and places are each enough to keep a job out") {
  Admission admission({.memory = 1000, .cores = 2, .jobs = 3});
  admission.admit({.memory = 600, .cores = 0.5});
  CHECK(admission.fits({.memory = 400, .cores = 1.5}));
  CHECK_FALSE(admission.fits({.memory = 401, .cores = 0.1}));
  CHECK_FALSE(admission.fits({.memory = 1, .cores = 1.6}));
  admission.admit({.memory = 1, .cores = 0.1});
  admission.admit({.memory = 1, .cores = 0.1});
  CHECK_FALSE(admission.fits({.memory = 1, .cores = 0.1}));
  release(admission, {.memory = 1, .cores = 0.1});
  CHECK(admission.fits({.memory = 1, .cores = 0.1}));
}

TEST_CASE("a job without a limit, or with more than is free now, is alone") {
  Admission admission({.memory = 1000, .cores = 2, .jobs = 4});
  CHECK(admission.fits({.memory = kAllMemory}));
  CHECK(admission.fits({.memory = 5000, .cores = 2}));
  admission.admit({.memory = kAllMemory});
  CHECK_FALSE(admission.fits({.memory = 1}));
  release(admission, {.memory = kAllMemory});
  admission.admit({.memory = 1});
  CHECK_FALSE(admission.fits({.memory = kAllMemory}));
}

TEST_CASE(
    "a command that has ended gives its place at once, and its memory when all of it is gone") {
  Admission admission({.memory = 1000, .cores = 1, .jobs = 1});
  admission.admit({.memory = 600});
  CHECK_FALSE(admission.fits({.memory = 100}));
  admission.release_place({.memory = 600});
  CHECK(admission.fits({.memory = 400}));
  CHECK_FALSE(admission.fits({.memory = 401}));
  CHECK_FALSE(admission.fits({.memory = kAllMemory}));
  admission.release_memory({.memory = 600});
  CHECK(admission.fits({.memory = kAllMemory}));
}

TEST_CASE("tenths of cores add up to whole ones") {
  Admission admission({.memory = 1000, .cores = 1, .jobs = 100});
  for (int i = 0; i < 10; ++i) {
    REQUIRE(admission.fits({.memory = 1, .cores = 0.1}));
    admission.admit({.memory = 1, .cores = 0.1});
  }
  CHECK_FALSE(admission.fits({.memory = 1, .cores = 0.1}));
}

TEST_CASE("-j lifts the bound of cores for jobs without a limit, and for no others") {
  Admission admission({.memory = 1000, .cores = 2, .jobs = 6});
  admission.admit({.memory = 1, .cores = 2});
  CHECK_FALSE(admission.fits({.memory = 1, .cores = 0.1}));
  for (int i = 0; i < 4; ++i) {
    REQUIRE(admission.fits({.memory = 1}));
    admission.admit({.memory = 1});
  }
  CHECK_FALSE(admission.fits({.memory = 1}));
  release(admission, {.memory = 1, .cores = 2});
  CHECK(admission.fits({.memory = 1, .cores = 2}));

  Admission usual({.memory = 1000, .cores = 2, .jobs = 2});
  usual.admit({.memory = 1, .cores = 1.5});
  CHECK_FALSE(usual.fits({.memory = 1}));  // counts as one
  CHECK(usual.fits({.memory = 1, .cores = 0.5}));
}

TEST_CASE("in any order of coming and going the sums hold") {
  std::mt19937 random(1);
  const Capacity capacity{.memory = 100, .cores = 4, .jobs = 8};
  Admission admission(capacity);
  std::vector<Need> live;
  for (int i = 0; i < 100'000; ++i) {
    const Need need{.memory = 1 + random() % 120, .cores = static_cast<double>(random() % 40) / 10};
    if (admission.fits(need)) {
      admission.admit(need);
      live.push_back(need);
    } else if (!live.empty()) {
      const std::size_t gone = random() % live.size();
      release(admission, live[gone]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    std::uint64_t memory = 0;
    double cores = 0;
    for (const Need& one : live) {
      memory += one.memory;
      cores += one.cores;
    }
    REQUIRE((live.size() == 1 || (memory <= 100 && cores <= 4.001 && live.size() <= 8)));
    REQUIRE(admission.live() == live.size());
  }
}

TEST_CASE("a port of the host is one job's, until nothing of that lives") {
  Admission admission({.memory = 1000, .cores = 8, .jobs = 8});
  const Need first{.memory = 1, .held = 1, .ports = 3};
  const Need second{.memory = 1, .held = 1, .ports = 6};
  const Need other{.memory = 1, .held = 1, .ports = 4};
  admission.admit(first);
  CHECK_FALSE(admission.fits(second));
  REQUIRE(admission.fits(other));
  admission.admit(other);
  release(admission, first);
  CHECK_FALSE(admission.fits(second));
  admission.release_rest(first);
  CHECK_FALSE(admission.fits(second));
  CHECK(admission.fits(first));
  release(admission, other);
  admission.release_rest(other);
  CHECK(admission.fits(second));
  const Need light{.memory = 0, .ports = 1};  // holds nothing but its port
  admission.admit(light);
  release(admission, light);
  CHECK_FALSE(admission.fits(light));
  admission.release_rest(light);
  CHECK(admission.fits(light));
}

TEST_CASE("with next to no memory jobs run one by one") {
  Admission admission({.memory = 1, .cores = 8, .jobs = 8});
  const Need need{.memory = 1000};
  REQUIRE(admission.fits(need));
  admission.admit(need);
  CHECK_FALSE(admission.fits(need));
}

TEST_CASE("what sbx itself may hold for a job counts, and is free when its result has been taken") {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
  sbx::profile::Limits limits;
  limits.memory = 512 * kMib;
  const Need usual = need_of(limits, 100);
  CHECK(usual.output == 20 * kMib);  // captured without a limit: 10M a stream
  limits.output = {.stdout_bytes = 1000, .stderr_bytes = 24};
  const Need little = need_of(limits, 100);
  CHECK(little.output == 1024);
  CHECK(need_of(limits, 16 * kMib).held >= 80 * kMib);
  limits.output.stdout_bytes = ~std::uint64_t{0};
  CHECK(need_of(limits, 100).output == kAllMemory);

  Admission admission({.memory = 1100 * kMib, .cores = 8, .jobs = 8});
  admission.admit(usual);
  CHECK_FALSE(admission.fits(usual));  // 2 * 512M fit, but not with two outputs being captured
  CHECK(admission.fits(little));
  release(admission, usual);
  // Its result is made: 20M can be 120M of JSON, beside the text that this is made of.
  CHECK(admission.fits({.memory = 1100 * kMib - 10 * usual.output - usual.held}));
  CHECK_FALSE(admission.fits({.memory = 1100 * kMib - 6 * usual.output}));
  admission.release_rest(usual);
  CHECK(admission.fits({.memory = kAllMemory}));
}

TEST_CASE("an output without an end is one job's alone") {
  Admission admission({.memory = 1000, .cores = 8, .jobs = 8});
  const Need endless{.memory = 1, .output = kAllMemory, .held = kAllMemory};
  REQUIRE(admission.fits(endless));
  admission.admit(endless);
  CHECK_FALSE(admission.fits({.memory = 1}));
  release(admission, endless);
  CHECK_FALSE(admission.fits({.memory = 1}));
  admission.release_rest(endless);
  CHECK(admission.fits({.memory = kAllMemory}));
}
