// Every key of the grammar reaches the profile, and all problems of a file are told at once.
#include "profile_testing.hpp"

using namespace sbx::profile;
using sbx::testing::has;
using sbx::testing::must_load;
using sbx::testing::problems_of;
using std::chrono::milliseconds;

TEST_CASE("an empty profile is the default of every key") {
  const Profile profile = must_load("");
  CHECK(profile.name == "x");
  CHECK(profile.root.kind == RootKind::host);
  CHECK(profile.workspace.mode == WorkspaceMode::ro);
  CHECK_FALSE(profile.workspace.named);
  CHECK(profile.network.mode == NetworkMode::none);
  CHECK(profile.limits.memory == Bytes{512} << 20U);
  CHECK(profile.limits.swap == Bytes{0});
  CHECK(profile.limits.pids == 128U);
  CHECK(profile.limits.wall == milliseconds{60000});
  CHECK_FALSE(profile.limits.cpu.has_value());
  CHECK_FALSE(profile.limits.memory_high.has_value());
  CHECK_FALSE(profile.limits.cpu_weight.has_value());
  CHECK(profile.limits.oom_kill == OomKill::process);
  CHECK(profile.seccomp.allow == std::vector<std::string>{"@default"});
  CHECK(profile.capabilities.empty());
  CHECK(profile.origins.empty());
  CHECK(profile.sha256.size() == 64);
}

TEST_CASE("mounts are read in their short and long forms") {
  const Profile profile = must_load(
      "mounts:\n"
      "  - data:/data\n"
      "  - /srv/x:/x//y/:rw\n"
      "  - {bind: ./lib, at: /lib2, mode: rw, optional: true}\n"
      "  - {tmpfs: /scratch, size: 256M, inodes: 10, exec: false}\n"
      "  - {file: /etc/app.ini, content: \"debug=0\\n\", perm: \"0640\"}\n");
  REQUIRE(profile.mounts.size() == 5);
  const auto& first = std::get<BindMount>(profile.mounts[0].what);
  CHECK(first.source == "data");
  CHECK(first.base == "/p");
  CHECK(first.target == "/data");
  CHECK_FALSE(first.writable);
  const auto& second = std::get<BindMount>(profile.mounts[1].what);
  CHECK(second.target == "/x/y");
  CHECK(second.writable);
  const auto& third = std::get<BindMount>(profile.mounts[2].what);
  CHECK(third.optional);
  CHECK(third.writable);
  const auto& tmpfs = std::get<TmpfsMount>(profile.mounts[3].what);
  CHECK(tmpfs.size == Bytes{256} << 20U);
  CHECK(tmpfs.inodes == 10);
  CHECK_FALSE(tmpfs.exec);
  const auto& file = std::get<FileMount>(profile.mounts[4].what);
  CHECK(file.content == "debug=0\n");
  CHECK(file.perm == 0640U);
  CHECK(profile.mounts[4].origin == sbx::Origin{"/p/x.yaml", 7, 5});
}

TEST_CASE("limits take quantities, and none lifts one") {
  const Profile profile = must_load(
      "limits:\n"
      "  memory: none\n"
      "  swap: none\n"
      "  pids: none\n"
      "  cpus: 1.5\n"
      "  cpuset: \"0-3,8\"\n"
      "  io: {read_bps: 50MB, write_iops: 2000}\n"
      "  wall: none\n"
      "  cpu: 1.5s\n"
      "  idle: 2m\n"
      "  grace: 200ms\n"
      "  output: {stdout: 10M, stderr: none, on_exceed: kill}\n"
      "  memory_high: 400M\n"
      "  cpu_weight: 10000\n"
      "  rlimits: {nofile: 2048, fsize: 200M, core: none, cpu: 3s, rttime: 5ms}\n");
  const Limits& limits = profile.limits;
  CHECK(limits.memory_high == Bytes{400} << 20U);
  CHECK(limits.cpu_weight == 10000U);
  CHECK_FALSE(limits.memory.has_value());
  CHECK_FALSE(limits.swap.has_value());
  CHECK_FALSE(limits.pids.has_value());
  CHECK_FALSE(limits.wall.has_value());
  CHECK(limits.cpus == 1.5);
  CHECK(limits.cpuset == "0-3,8");
  CHECK(limits.io.read_bps == 50000000U);
  CHECK(limits.io.write_iops == 2000U);
  CHECK_FALSE(limits.io.write_bps.has_value());
  CHECK(limits.cpu == milliseconds{1500});
  CHECK(limits.idle == milliseconds{120000});
  CHECK(limits.grace == milliseconds{200});
  CHECK(limits.output.stdout_bytes == Bytes{10} << 20U);
  CHECK(limits.output.on_exceed == OnExceed::kill);
  CHECK(limits.rlimits.at("nofile") == 2048U);
  CHECK(limits.rlimits.at("fsize") == std::uint64_t{200} << 20U);
  CHECK_FALSE(limits.rlimits.at("core").has_value());
  CHECK(limits.rlimits.at("cpu") == 3U);
  CHECK(limits.rlimits.at("rttime") == 5000U);
}

TEST_CASE(
    "what ends at the memory limit is a word, and a soft limit may be as high as the hard one") {
  const Limits limits =
      must_load("limits: {memory: 64M, memory_high: 64M, oom_kill: tree, cpu_weight: none}\n")
          .limits;
  CHECK(limits.oom_kill == OomKill::tree);
  CHECK(limits.memory_high == limits.memory);
  CHECK_FALSE(limits.cpu_weight.has_value());
  CHECK(must_load("limits: {memory: none, oom_kill: process, memory_high: 1G}\n").limits.oom_kill ==
        OomKill::process);
}

TEST_CASE("a word is the same in quotes, as JSON has it") {
  const Profile profile = must_load(
      "network: \"none\"\n"
      "root: 'empty'\n"
      "user: {\"uid\": \"caller\", \"gid\": 7}\n"
      "limits: {\"memory\": \"none\", \"cpuset\": \"none\", \"rlimits\": {\"core\": \"none\"}}\n");
  CHECK(profile.network.mode == NetworkMode::none);
  CHECK(profile.root.kind == RootKind::empty);
  CHECK_FALSE(profile.user.uid.has_value());
  CHECK_FALSE(profile.limits.memory.has_value());
  CHECK_FALSE(profile.limits.cpuset.has_value());
  CHECK_FALSE(profile.limits.rlimits.at("core").has_value());
  CHECK(must_load("network: \"host\"\n").network.mode == NetworkMode::host);
}

TEST_CASE("the other sections are read") {
  const Profile profile = must_load(
      "name: py-data\n"
      "command: [sleep, 5]\n"
      "root: {dir: rootfs}\n"
      "workspace: {source: src, at: /w, mode: overlay, size: 1G}\n"
      "tools: [python3, \"go?\"]\n"
      "mask: [/w/.env]\n"
      "workdir: /w\n"
      "user: {uid: 7, gid: caller}\n"
      "hostname: box-1\n"
      "env: {pass: [LANG], set: {PORT: 8080, EMPTY: \"\"}}\n"
      "secrets: {k: {from: \"env:K\", redact: false}}\n"
      "seccomp: {on_deny: kill, allow: [openat], args: [{call: socket, arg: 0, in: [AF_UNIX, 0x10, "
      "3]}]}\n"
      "capabilities: [CAP_CHOWN, kill]\n"
      "landlock: off\n"
      "namespaces: {time: {monotonic: -3d}}\n"
      "devices: [fuse]\n"
      "stdio: {stdin: null, tty: never}\n"
      "degrade: [cgroup, landlock]\n");
  CHECK(profile.name == "py-data");
  CHECK(profile.command == std::vector<std::string>{"sleep", "5"});
  CHECK(profile.root.path == "/p/rootfs");
  CHECK(profile.workspace.named);
  CHECK(profile.workspace.size == Bytes{1} << 30U);
  CHECK(tool_is_optional(profile.tools[1]));
  CHECK(tool_name(profile.tools[1]) == "go");
  CHECK(profile.workdir == "/w");
  CHECK(profile.user.uid == 7U);
  CHECK_FALSE(profile.user.gid.has_value());
  CHECK(profile.env.set.at("PORT") == "8080");
  CHECK(profile.env.set.at("EMPTY").empty());
  CHECK(profile.secrets.at(0).place() == "/run/secrets/k");
  CHECK(profile.secrets.at(0).perm == 0400U);
  CHECK_FALSE(profile.secrets.at(0).redact);
  CHECK(profile.seccomp.allow == std::vector<std::string>{"@default", "openat"});
  CHECK(profile.seccomp.args.at(0).in == std::vector<std::uint64_t>{1, 16, 3});
  CHECK(profile.capabilities == std::vector<std::string>{"cap_chown", "cap_kill"});
  CHECK(profile.landlock == LandlockMode::off);
  CHECK(profile.time.monotonic == milliseconds{-259200000});
  CHECK(profile.stdio.input == "null");
  CHECK(profile.stdio.tty == TtyMode::never);
}

TEST_CASE("a host name is told what it may be as it is checked") {
  const std::string label(63, 'a');
  CHECK(must_load("hostname: " + label + "\n").hostname == label);
  const std::string problems = problems_of("hostname: " + label + "a\n");
  CHECK(has(problems, "is no host name"));
  CHECK(has(problems, "at most 63 in a part"));
}

TEST_CASE("all problems of a file are told at once, in its order") {
  const std::string problems = problems_of(
      "memroy: 1G\n"
      "limits:\n"
      "  memory: 512\n"
      "  wall: 0s\n"
      "tools: python3\n"
      "hostname: my_box\n");
  CHECK(has(problems, "/p/x.yaml:2:1: unknown key `memroy`; did you mean `limits.memory`?"));
  CHECK(has(problems, "/p/x.yaml:4:11: `limits.memory`: the size `512` needs a unit"));
  CHECK(has(problems, "/p/x.yaml:5:9: `limits.wall` is 0"));
  CHECK(has(problems, "/p/x.yaml:6:1: `tools` must be a list"));
  CHECK(has(problems, "/p/x.yaml:7:11: `my_box` is no host name"));
  CHECK(problems.find(":2:1:") < problems.find(":4:11:"));
  CHECK(problems.find(":4:11:") < problems.find(":5:9:"));
  CHECK(problems.find(":5:9:") < problems.find(":6:1:"));
}

TEST_CASE("a secret's value that was written where its source belongs is not repeated") {
  for (const std::string from : {"sk-hunter2", "env:sk-hunter2", "plain:hunter2"}) {
    const std::string problems = problems_of("secrets: {k: {from: \"" + from + "\"}}\n");
    CHECK(has(problems, "/p/x.yaml:2:21: `secrets.k.from`"));
    CHECK_FALSE(has(problems, "hunter2"));
  }
}

TEST_CASE("one mistake has one message") {
  // A variable that has no value, wherever it is used.
  const std::string used = "hostname: ${a}\nlimits: {memory: \"${b}\"}\n";
  CHECK(problems_of("vars: {a: \"${b}\", b: \"${a}\"}\n" + used) ==
        "/p/x.yaml:2:22: the variable `a` is made of itself\n");
  const std::string unknown = problems_of("vars: {a: \"${b}\", b: \"x${nope}\"}\n" + used);
  CHECK(has(unknown, "/p/x.yaml:2:22: unknown variable `nope`"));
  CHECK_FALSE(has(unknown, "/p/x.yaml:3"));
  CHECK_FALSE(has(unknown, "/p/x.yaml:4"));
  // Nor is it a second one that the list is empty for which there is a word.
  const std::string word = problems_of("command: ls -l\n");
  CHECK(has(word, "/p/x.yaml:2:1: `command` must be a list"));
  CHECK_FALSE(has(word, "names no program"));
  // Nor what a list or a map lacks without the entry that is wrong.
  CHECK_FALSE(has(problems_of("command: [true]\n"), "names no program"));
  for (const char* text : {"mounts: [{bind: /opt, dst: /x}]\n", "secrets: {k: {form: \"env:K\"}}\n",
                           "seccomp: {args: [{call: socket, argument: 0, in: [1]}]}\n"}) {
    const std::string problems = problems_of(text);
    CHECK_MESSAGE(has(problems, "unknown key"), problems);
    CHECK_FALSE_MESSAGE(has(problems, " needs "), problems);
  }
}

TEST_CASE("a network with a list") {
  const Profile profile = must_load(
      "network:\n"
      "  allow: [\"example.org:443\", \"udp:*.example.org:8000-8100\", \"[2001:db8::/32]:443\"]\n"
      "  deny: [private, link-local, loopback, multicast, reserved, \"10.0.0.0/8:53\"]\n"
      "  host_ports: [5432]\n"
      "  publish: [\"8080:80\", \"[::1]:8443:8443\"]\n"
      "  verify_name: false\n"
      "  proxy: http://proxy.example.org:3128\n"
      "  limits: {connections: 64, down: 10M/s, up: 1.5MB/s, total: 500M}\n");
  CHECK(profile.network.mode == NetworkMode::filtered);
  CHECK(profile.network.allow.size() == 3);
  CHECK(profile.network.deny.size() == 6);
  CHECK(profile.network.publish.size() == 2);
  CHECK_FALSE(profile.network.verify_name);
  CHECK(profile.network.proxy == "http://proxy.example.org:3128");
  CHECK(profile.network.limits.connections == 64);
  CHECK(profile.network.limits.down == Bytes{10} << 20U);
  CHECK(profile.network.limits.up == Bytes{1500000});
  CHECK(profile.network.limits.total == Bytes{500} << 20U);
  CHECK(profile.origins.contains("network.allow[1]"));
}

TEST_CASE("a network with a list of nothing reaches nothing, and is no error") {
  for (const char* text :
       {"network: {}\n", "network: {allow: []}\n", "network: {deny: [private]}\n"})
    CHECK(must_load(text).network.mode == NetworkMode::filtered);
  CHECK(must_load("network: {}\n").network.verify_name);
  CHECK(must_load("network: {limits: {down: none}}\n").network.limits.connections == 512);
}

TEST_CASE("a proxy's password is in no message") {
  for (const char* url : {"https://me:hunter2@proxy:443", "socks5://me:hunter2@proxy:1080",
                          "http://me:hunter2@proxy:0", "me:hunter2@"}) {
    const std::string problems = problems_of("network: {proxy: \"" + std::string(url) + "\"}\n");
    CHECK(has(problems, "`network.proxy` "));
    CHECK_FALSE(has(problems, "hunter2"));
  }
}
