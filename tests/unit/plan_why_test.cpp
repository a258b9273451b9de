// What --why answers, and that it answers what the plan and its filter do.
#include <doctest/doctest.h>

#include "plan_why_testing.hpp"
#include "seccomp_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

TEST_CASE("path: what the host has, read-only, and what would make it writable") {
  const Answer answer = planned("").ask("path:/usr/lib/os-release");
  CHECK(answer.verdict == Verdict::partly);
  CHECK(answer.what == "it can be read, not written: the host's /usr/lib/os-release");
  CHECK(answer.origin.file.empty());
  CHECK(answer.allow_with ==
        "mounts: [{bind: /usr/lib/os-release, at: /usr/lib/os-release, mode: rw}]");
}

TEST_CASE("path: links of the root are followed") {
  const Answer answer = planned("").ask("path:/bin/../bin/sh/");
  CHECK(answer.verdict == Verdict::partly);
  CHECK(answer.what ==
        "it leads to /usr/bin/sh; it can be read, not written: the host's "
        "/usr/bin/sh");
}

TEST_CASE("path: `..` leads out of where a link leads to, not of the link") {
  const Planned plan = planned("");
  CHECK(plan.ask("path:/bin/../etc/passwd").what ==
        "it leads to /usr/etc/passwd; it can be read, not written: the host's /usr/etc/passwd");
  CHECK(plan.ask("path:/../../tmp/./a/../b").verdict == Verdict::allowed);
  HostFacts facts = host_of_user();
  facts.root_entries.push_back({"/loop", EntryType::symlink, "", "loop"});
  CHECK(planned("", facts).refusal("path:/loop/x").contains("circle of links"));
}

TEST_CASE("path: nothing there, and the line that puts it there") {
  const Answer answer = planned("").ask("path:/etc/shadow");
  CHECK(answer.verdict == Verdict::denied);
  CHECK(answer.what == "nothing is there");
  CHECK(answer.allow_with == "mounts: [{bind: /etc/shadow, at: /etc/shadow}]");
  CHECK(planned("").ask("path:/data/a b").allow_with ==
        R"(mounts: [{bind: "/data/a b", at: "/data/a b"}])");
}

TEST_CASE("path: a folder of ours, what lies below it, and the root itself") {
  const Planned plan = planned("");
  CHECK(plan.ask("path:/").verdict == Verdict::partly);
  CHECK(plan.ask("path:/etc").verdict == Verdict::partly);
  CHECK(plan.ask("path:/etc/passwd").what ==
        "it can be read, not written: a file written for this "
        "run");
  CHECK(plan.ask("path:/etc/passwd/x").verdict == Verdict::denied);
  CHECK(plan.ask("path:/etcetera").verdict == Verdict::denied);
}

TEST_CASE("path: memory, devices, processes") {
  const Planned plan = planned("mounts:\n  - {tmpfs: /scratch, size: 16M}\n");
  CHECK(plan.ask("path:/tmp/x").verdict == Verdict::allowed);
  CHECK(plan.ask("path:/dev/null").verdict == Verdict::allowed);
  CHECK(plan.ask("path:/dev/kvm").verdict == Verdict::denied);
  CHECK(plan.ask("path:/proc/self/status").verdict == Verdict::partly);
  CHECK(plan.ask("path:/proc/sys/kernel/hostname").verdict == Verdict::partly);
  const Answer hidden = plan.ask("path:/proc/kcore");
  CHECK(hidden.verdict == Verdict::denied);
  CHECK(hidden.key.empty());
  const Answer scratch = plan.ask("path:/scratch/deep/file");
  CHECK(scratch.verdict == Verdict::allowed);
  CHECK(scratch.what == "it can be written: 16M of memory, empty at the start");
  CHECK(scratch.key.starts_with("mounts[0]"));
  CHECK(scratch.origin.to_string() == "/p/x.yaml:3:5");
}

TEST_CASE("path: the workspace, as user and as root") {
  for (const HostFacts& facts : {host_of_user(), host_of_root()}) {
    const std::string source = facts.sources.at(".").path;
    const Answer answer = planned("", facts).ask("path:/workspace/a.py");
    CHECK(answer.verdict == Verdict::partly);
    CHECK(answer.what == "it can be read, not written: the host's " + source + "/a.py");
    const Answer written = planned("workspace: {mode: rw}\n", facts).ask("path:/workspace/a.py");
    CHECK(written.verdict == Verdict::allowed);
    CHECK(written.origin.to_string().starts_with("/p/x.yaml:2:"));
    CHECK(planned("workspace: {mode: overlay}\n", facts).ask("path:/workspace/a.py").verdict ==
          Verdict::allowed);
  }
}

TEST_CASE("path: of several mounts the last one counts, and masks after all") {
  HostFacts facts = host_of_user();
  facts.sources["/srv/in"] = {true, EntryType::directory, "/srv/in", 1234, 1234, "8:0", ""};
  const Planned plan = planned(
      "mounts:\n  - {bind: /srv/in, at: /usr/share/in, mode: rw}\n"
      "mask: [/usr/share/in/key, '/workspace/**/*.pem']\n",
      facts);
  CHECK(plan.ask("path:/usr/share/in/x").verdict == Verdict::allowed);
  CHECK(plan.ask("path:/usr/share/inn").verdict == Verdict::partly);
  const Answer masked = plan.ask("path:/usr/share/in/key");
  CHECK(masked.verdict == Verdict::denied);
  CHECK(masked.key == "mask[0]");
  CHECK(masked.hint == "take the entry out");
  for (const char* hidden : {"/workspace/a.pem", "/workspace/a/b/c.pem", "/workspace/x.pem/deep"})
    CHECK(plan.ask(std::string("path:") + hidden).verdict == Verdict::denied);
  for (const char* shown : {"/workspace/a.pem2", "/workspace/pem", "/workspace"})
    CHECK(plan.ask(std::string("path:") + shown).verdict == Verdict::partly);
}

TEST_CASE("syscall: whose word it is") {
  const Planned plan = planned(
      "seccomp:\n  allow: [ptrace]\n  deny: [chmod, '@keyring']\n"
      "  args: [{call: socket, arg: 0, in: [1]}]\n");
  const Answer read = plan.ask("syscall:read");
  CHECK(read.verdict == Verdict::allowed);
  CHECK(read.origin.file.empty());
  const Answer traced = plan.ask("syscall:ptrace");
  CHECK(traced.verdict == Verdict::allowed);
  CHECK(traced.origin.to_string() == "/p/x.yaml:3:11");
  CHECK(traced.key == "seccomp.allow[0]");
  const Answer chmod = plan.ask("syscall:chmod");
  CHECK(chmod.verdict == Verdict::denied);
  CHECK(chmod.key == "seccomp.deny[0]");
  CHECK(chmod.origin.to_string() == "/p/x.yaml:4:10");
  CHECK(plan.ask("syscall:keyctl").verdict == Verdict::denied);
  const Answer socket = plan.ask("syscall:socket");
  CHECK(socket.verdict == Verdict::partly);
  CHECK(socket.key == "seccomp.args[0]");
  const Answer mount = plan.ask("syscall:mount");
  CHECK(mount.verdict == Verdict::denied);
  CHECK(mount.key.empty());
  CHECK(mount.allow_with.empty());
}

TEST_CASE("syscall: what would allow it, and what it meets until then") {
  CHECK(planned("").ask("syscall:ptrace").allow_with == "seccomp: {allow: [\"@debug\"]}");
  CHECK(planned("").ask("syscall:ptrace").what == "the call fails with EPERM");
  CHECK(planned("seccomp: {on_deny: kill}\n").ask("syscall:ptrace").what ==
        "the call ends the process");
  CHECK(planned("seccomp: {on_deny: log}\n").ask("syscall:ptrace").verdict == Verdict::partly);
}

TEST_CASE("syscall: the answers are those of the filter, for every call and several profiles") {
  using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
  using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)
  for (const char* text :
       {"", "seccomp: {on_deny: kill, deny: ['@network-io']}\n", "seccomp: {on_deny: log}\n",
        "seccomp: {allow: [ptrace, perf_event_open], deny: [fork, vfork]}\n",
        "seccomp: {allow: !replace [execve, exit_group, '@process']}\n"}) {
    CAPTURE(text);
    const Planned plan = planned(text);
    const bool log = plan.plan.seccomp.on_deny == OnDeny::log;
    for (const Group& group : call_groups())
      for (const Call& call : group.calls) {
        CAPTURE(call.name);
        const Answer answer = plan.ask("syscall:" + std::string(call.name));
        const std::uint32_t action = ask(plan.plan.filter.program(), call.number());
        if (answer.verdict == Verdict::allowed) CHECK(action == kAllow);
        if (answer.verdict == Verdict::denied) {
          CHECK(action != kAllow);
          CHECK(action != kLog);
        }
        if (answer.verdict == Verdict::partly && !answer.allow_with.empty()) CHECK(log);
        // What it names does allow it.
        if (answer.allow_with.empty() || answer.key.starts_with("seccomp.deny")) continue;
        const Planned more = planned(text + std::string(text[0] == '\0' ? answer.allow_with : ""));
        if (text[0] == '\0') CHECK(more.ask(answer.question).verdict != Verdict::denied);
      }
  }
}

TEST_CASE("env: where a variable comes from") {
  HostFacts facts = host_of_user();
  facts.env = {{"LANG", "de_DE.UTF-8"}, {"TZ", "UTC"}, {"TOKEN", "secret"}};
  const Planned plan = planned("env: {pass: [TZ, EDITOR], set: {MODE: fast}}\n", facts);
  CHECK(plan.ask("env:TZ").what == "the command gets TZ=UTC");
  CHECK(plan.ask("env:TZ").key == "env.pass[0]");
  CHECK(plan.ask("env:null").allow_with == "env: {pass: [\"null\"]}");
  CHECK(plan.ask("env:true").allow_with == "env: {pass: [\"true\"]}");
  CHECK(plan.ask("env:a-b").allow_with.empty());
  CHECK(plan.ask("env:MODE").key == "env.set.MODE");
  CHECK(plan.ask("env:MODE").origin.to_string().starts_with("/p/x.yaml:2:"));
  CHECK(plan.ask("env:HOME").what == "the command gets HOME=/tmp");
  const Answer missing = plan.ask("env:EDITOR");
  CHECK(missing.verdict == Verdict::denied);
  CHECK(missing.because == "env.pass names it, but the caller has none");
  const Answer token = plan.ask("env:TOKEN");
  CHECK(token.verdict == Verdict::denied);
  CHECK(token.allow_with == "env: {pass: [TOKEN]}");
  CHECK_FALSE(answer_text(token).contains("secret"));
}

TEST_CASE("host: with and without a network") {
  const Answer none = planned("").ask("host:example.org:443");
  CHECK(none.verdict == Verdict::denied);
  CHECK(none.allow_with == "network: {allow: [\"example.org:443\"]}");
  CHECK(planned("").ask("host:127.0.0.1:80").verdict == Verdict::partly);
  CHECK(planned("").ask("host:[::1]:80").verdict == Verdict::partly);
  const Answer host = planned("network: host\n").ask("host:[2001:db8::1]:443");
  CHECK(host.verdict == Verdict::allowed);
  CHECK(host.origin.to_string() == "/p/x.yaml:2:10");
}

TEST_CASE("host: with a list of what is allowed") {
  const Planned plan = planned(
      "network:\n  allow: [\"example.org:443\", \"10.1.0.0/16:5432\", \"udp:example.org:3478\"]\n"
      "  deny: [link-local, \"10.1.9.0/24:*\"]\n  host_ports: [6379]\n");
  const Answer name = plan.ask("host:Example.org.:443");
  CHECK(name.verdict == Verdict::allowed);
  CHECK(name.key == "network.allow[0]");
  CHECK(name.origin.to_string() == "/p/x.yaml:3:11");
  const Answer other = plan.ask("host:evil.org:443");
  CHECK(other.verdict == Verdict::denied);
  CHECK(other.what.contains("REFUSED"));
  CHECK(other.key == "network.allow");
  CHECK(other.allow_with == "network: {allow: [\"evil.org:443\"]}");
  CHECK(plan.ask("host:udp:example.org:3478").key == "network.allow[2]");
  CHECK(plan.ask("host:udp:example.org:443").allow_with ==
        "network: {allow: [\"udp:example.org:443\"]}");
  CHECK(plan.ask("host:10.1.2.3:5432").key == "network.allow[1]");
  CHECK(plan.ask("host:[::ffff:10.1.2.3]:5432").key == "network.allow[1]");
  CHECK(plan.ask("host:10.1.9.3:5432").key == "network.deny[1]");
  CHECK(plan.ask("host:169.254.169.254:80").key == "network.deny[0]");
  CHECK(plan.ask("host:127.0.0.1:6379").key == "network.host_ports[0]");
  CHECK(plan.ask("host:localhost:6379").verdict == Verdict::allowed);
  CHECK(plan.ask("host:localhost:22").verdict == Verdict::partly);
  CHECK(plan.ask("host:127.0.0.1:443").allow_with == "network: {host_ports: [443]}");
  const Answer dns = plan.ask("host:8.8.8.8:53");
  CHECK(dns.verdict == Verdict::partly);
  CHECK(dns.key.empty());
  CHECK(dns.allow_with.empty());
}

TEST_CASE("host: no line is given that no profile takes, or that changes nothing") {
  for (const char* const text : {"", "network: {allow: [\"example.org:443\"]}\n"})
    for (const char* const host : {"b\u00fccher.example:443", "2130706433:80", "8.8.8.8:53",
                                   "udp:8.8.8.8:53", "0.0.0.0:80", "[::]:80"}) {
      const Answer answer = planned(text).ask(std::string("host:") + host);
      CHECK_MESSAGE(!answer.allow_with.starts_with("network: {allow:"), host);
    }
}

TEST_CASE("what is no question is refused, with a word of help") {
  const Planned plan = planned("");
  CHECK(plan.refusal("etc/shadow").contains("is no question"));
  for (const char* question : {"", ":", "path:", "file:/x", "path", "paths:/x"})
    CHECK(plan.refusal(question).contains("path:/x, host:NAME:PORT, syscall:NAME or env:NAME"));
  CHECK(plan.refusal("path:etc").contains("it starts with /"));
  CHECK(plan.refusal("syscall:ptrac").contains("did you mean ptrace?"));
  CHECK(plan.refusal("syscall:@mount").contains("group of calls"));
  CHECK(plan.refusal("env:A=b").contains("no name of a variable"));
  for (const char* host : {"example.org", "example.org:", "example.org:0", "example.org:99999",
                           ":443", "2001:db8::1:443", "h:44x"})
    CHECK(plan.refusal(std::string("host:") + host).contains("is no host with a port"));
}

TEST_CASE("the texts: for a person, and for a program") {
  const Answer answer = planned("").ask("path:/etc/shadow");
  CHECK(answer_text(answer) ==
        "path:/etc/shadow: denied\n"
        "  nothing is there\n"
        "  because: a path exists inside only when something in the plan puts it there\n"
        "  decided by: the default of mounts\n"
        "  to allow it: mounts: [{bind: /etc/shadow, at: /etc/shadow}]\n");
  CHECK(answer_json(answer) ==
        R"({"schema":"sbx.why/1","question":"path:/etc/shadow","verdict":"denied",)"
        R"("text":"nothing is there",)"
        R"("reason":"a path exists inside only when something in the plan puts it there",)"
        R"("key":"mounts","origin":null,)"
        R"("allow_with":"mounts: [{bind: /etc/shadow, at: /etc/shadow}]","hint":null})");
}
