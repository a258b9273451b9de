// What --why answers of what this host, or the caller, does not have.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "plan_why_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

TEST_CASE("path: what this host lacks is not offered") {
  const Host host{.lacks = [](const std::string& path, bool) { return path.ends_with("none"); }};
  const Planned plan = planned("workspace: {mode: rw}\n");
  const Answer nowhere = plan.ask("path:/srv/none", host);
  CHECK(nowhere.what == "nothing is there");
  CHECK(nowhere.allow_with.empty());
  CHECK(nowhere.hint.contains("mounts: [{tmpfs: /srv/none}]"));
  CHECK(plan.ask("path:/srv/some", host).allow_with ==
        "mounts: [{bind: /srv/some, at: /srv/some}]");
  const Answer below = plan.ask("path:/usr/none", host);
  CHECK(below.verdict == Verdict::denied);
  CHECK(below.what == "it does not exist, nor can it be made: the host's /usr/none");
  CHECK(below.allow_with.empty());
  const Answer made = plan.ask("path:/workspace/none", host);
  CHECK(made.verdict == Verdict::allowed);
  CHECK(made.what == "it does not exist, and can be made: the host's /home/user/project/none");
  const Answer strict = planned("").ask("path:/workspace/none", host);
  CHECK(strict.verdict == Verdict::denied);
  CHECK(strict.allow_with == "workspace: {mode: rw}");
}

TEST_CASE("path: a secret that is a variable only has no file") {
  const Planned plan = planned(
      "secrets: {file: {from: 'env:A'}, key: {from: 'env:KEY', env: KEY}, deep: {from: 'env:A', "
      "env: "
      "B, at: /run/secrets/other}}\n");
  CHECK(plan.ask("path:/run/secrets").verdict == Verdict::partly);
  CHECK(plan.ask("path:/run/secrets/file").key == "secrets.file");
  CHECK(plan.ask("path:/run/secrets/other").key == "secrets.deep");
  const Answer key = plan.ask("path:/run/secrets/key");
  CHECK(key.verdict == Verdict::denied);
  CHECK(key.because == "the secret key is handed over as a variable only");
  CHECK(key.allow_with == "secrets: {key: {at: /run/secrets/key}}");
  const Answer none = plan.ask("path:/run/secrets/nothing");
  CHECK(none.verdict == Verdict::denied);
  CHECK(none.what == "nothing is there");
}

TEST_CASE("env: what the caller lacks, and what a secret is taken from, is not passed") {
  const std::map<std::string, std::string> env{{"THERE", "1"}, {"KEY", "secret"}};
  const Host host{.env = &env};
  const Planned plan = planned("secrets: {key: {from: 'env:KEY', at: /run/secrets/key}}\n");
  CHECK(plan.ask("env:THERE", host).allow_with == "env: {pass: [THERE]}");
  const Answer unset = plan.ask("env:UNSET", host);
  CHECK(unset.because == "no line of the profile sets it, and the caller has none");
  CHECK(unset.allow_with == "env: {set: {UNSET: VALUE}}");
  const Answer key = plan.ask("env:KEY", host);
  CHECK(key.verdict == Verdict::denied);
  CHECK(key.key == "secrets.key.from");
  CHECK(key.because == "the secret key is taken from it");
  CHECK(key.allow_with == "secrets: {key: {env: KEY}}");
}

TEST_CASE("host: the host's own addresses are not what a wide rule is for, and sbx answers DNS") {
  const Host host{.is_own = [](const network::Address& address) {
    return network::to_string(address) == "11.22.33.2";
  }};
  const Planned plan = planned("network: {allow: ['0.0.0.0/0:7777']}\n");
  CHECK(plan.ask("host:11.22.33.3:7777", host).verdict == Verdict::allowed);
  const Answer own = plan.ask("host:11.22.33.2:7777", host);
  CHECK(own.verdict == Verdict::denied);
  CHECK(own.because.contains("one of the host's own addresses"));
  CHECK(own.allow_with == "network: {allow: [\"11.22.33.2:7777\"]}");
  const Answer dns = plan.ask("host:udp:8.8.8.8:53", host);
  CHECK(dns.verdict == Verdict::partly);
  CHECK(dns.what.starts_with("sbx itself answers there"));
}
