// Counters are read from a folder of files as the kernel writes them; what is missing is nullopt.
#include "os/cgroup_stats.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <optional>

#include "../support/temp_tree.hpp"
#include "os/fd.hpp"

using namespace sbx::os;
using sbx::test::TempTree;

namespace {

UniqueFd open_folder(const TempTree& tree) {
  return UniqueFd(open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

TEST_CASE("v2 figures") {
  const TempTree tree;
  tree.file("cpu.stat",
            "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\nnr_periods 3\nthrottled_usec 70\n");
  tree.file("memory.peak", "1048576\n");
  tree.file("memory.current", "4096\n");
  tree.file("memory.events", "low 0\nhigh 5\nmax 12\noom 2\noom_kill 1\noom_group_kill 0\n");
  tree.file("pids.peak", "9\n");
  tree.file("pids.events", "max 3\n");
  tree.file("io.stat",
            "8:0 rbytes=100 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n"
            "259:1 rbytes=5 wbytes=7 rios=1 wios=1 dbytes=0 dios=0\n");
  const UniqueFd dir = open_folder(tree);
  const CpuStat cpu = read_cpu_stat(dir.get(), 2);
  CHECK(cpu.usage_us == 1500);
  CHECK(cpu.user_us == 1000);
  CHECK(cpu.system_us == 500);
  CHECK(cpu.throttled_us == 70);
  const MemoryStat memory = read_memory_stat(dir.get(), 2);
  CHECK(memory.peak_bytes == 1048576);
  CHECK(read_memory_now(dir.get(), 2) == 4096);
  CHECK(memory.oom_kills == 1);
  CHECK(memory.high_events == 5);
  CHECK(read_oom_kills(dir.get(), 2) == 1);
  const PidsStat pids = read_pids_stat(dir.get(), 2);
  CHECK(pids.peak == 9);
  CHECK(pids.limit_hits == 3);
  const IoStat io = read_io_stat(dir.get(), 2);
  CHECK(io.read_bytes == 105);
  CHECK(io.written_bytes == 27);
}

TEST_CASE("v1 figures") {
  const TempTree tree;
  tree.file("cpuacct.usage", "1500999\n");
  tree.file("cpuacct.usage_user", "1000000\n");
  tree.file("cpuacct.usage_sys", "500000\n");
  tree.file("cpu.stat", "nr_periods 10\nnr_throttled 2\nthrottled_time 70000\n");
  tree.file("memory.max_usage_in_bytes", "8192\n");
  tree.file("memory.usage_in_bytes", "4096\n");
  tree.file("memory.failcnt", "99\n");
  tree.file("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  tree.file("blkio.throttle.io_service_bytes_recursive",
            "8:0 Read 100\n8:0 Write 20\n8:0 Sync 120\n8:0 Total 120\n8:16 Read 1\nTotal 121\n");
  const UniqueFd dir = open_folder(tree);
  const CpuStat cpu = read_cpu_stat(dir.get(), 1);
  CHECK(cpu.usage_us == 1500);
  CHECK(cpu.user_us == 1000);
  CHECK(cpu.system_us == 500);
  CHECK(cpu.throttled_us == 70);
  const MemoryStat memory = read_memory_stat(dir.get(), 1);
  CHECK(memory.peak_bytes == 8192);
  CHECK(read_memory_now(dir.get(), 1) == 4096);
  CHECK(memory.oom_kills == 4);
  CHECK(memory.high_events == std::nullopt);
  CHECK(read_oom_kills(dir.get(), 1) == 4);
  const IoStat io = read_io_stat(dir.get(), 1);
  CHECK(io.read_bytes == 101);
  CHECK(io.written_bytes == 20);
}

TEST_CASE("a missing file, no folder and a text that is no number are nullopt, never 0") {
  const TempTree tree;
  tree.file("memory.peak", "max\n");
  tree.file("memory.current", "-5\n");
  tree.file("memory.events", "oom_kill x\noom_killer 3\n");
  tree.file("pids.peak", "12abc\n");
  tree.file("pids.events", "");
  tree.file("io.stat", "8:0 rbytes=oops wbytes=1\n");
  const UniqueFd dir = open_folder(tree);
  CHECK(read_memory_stat(dir.get(), 2).peak_bytes == std::nullopt);
  CHECK(read_memory_now(dir.get(), 2) == std::nullopt);
  CHECK(read_memory_stat(dir.get(), 2).oom_kills == std::nullopt);
  CHECK(read_pids_stat(dir.get(), 2).peak == std::nullopt);
  CHECK(read_pids_stat(dir.get(), 2).limit_hits == std::nullopt);
  CHECK(read_io_stat(dir.get(), 2).read_bytes == std::nullopt);
  CHECK(read_cpu_stat(dir.get(), 2).usage_us == std::nullopt);
  CHECK(read_cpu_stat(dir.get(), 1).usage_us == std::nullopt);
  CHECK(read_memory_stat(-1, 2).peak_bytes == std::nullopt);
  CHECK(read_io_stat(-1, 1).written_bytes == std::nullopt);
}

TEST_CASE("pressure is the total of each line; what is no such line is nullopt") {
  const TempTree tree;
  tree.file("cpu.pressure", "some avg10=1.53 avg60=0.87 avg300=0.21 total=12345\n");  // before 5.13
  tree.file("memory.pressure",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=70\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  const UniqueFd dir = open_folder(tree);
  CHECK(read_pressure(dir.get(), "cpu").some_us == 12345);
  CHECK(read_pressure(dir.get(), "cpu").full_us == std::nullopt);
  CHECK(read_pressure(dir.get(), "memory").some_us == 70);
  CHECK(read_pressure(dir.get(), "memory").full_us == 0);
  CHECK(read_pressure(dir.get(), "io").some_us == std::nullopt);
  tree.file("io.pressure", "some avg10=0.00 total=-1\nfull total\nfull total=x\n");
  CHECK(read_pressure(dir.get(), "io").some_us == std::nullopt);
  CHECK(read_pressure(dir.get(), "io").full_us == std::nullopt);
  CHECK(read_pressure(-1, "cpu").some_us == std::nullopt);
}

TEST_CASE("a group without traffic has read and written nothing") {
  const TempTree tree;
  tree.file("io.stat", "");
  tree.file("blkio.throttle.io_service_bytes_recursive", "Total 0\n");
  const UniqueFd dir = open_folder(tree);
  CHECK(read_io_stat(dir.get(), 2).read_bytes == 0);
  CHECK(read_io_stat(dir.get(), 1).written_bytes == 0);
}

TEST_CASE("a file without end is refused, and a link in the folder is not followed") {
  const TempTree tree;
  tree.file("target", "7\n");
  tree.link("pids.peak", "target");
  tree.link("memory.peak", "/dev/zero");
  tree.file("io.stat", std::string(200'000, ' '));
  const UniqueFd dir = open_folder(tree);
  CHECK(read_pids_stat(dir.get(), 2).peak == std::nullopt);
  CHECK(read_memory_stat(dir.get(), 2).peak_bytes == std::nullopt);
  CHECK(read_io_stat(dir.get(), 2).read_bytes == std::nullopt);
}
