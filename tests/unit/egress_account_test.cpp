// What connections become in the account, and that it stays small.
#include "egress/account.hpp"

#include <doctest/doctest.h>

#include <string>

namespace sbx::egress {
namespace {

Connections kind(std::string host, Verdict verdict = Verdict::allowed) {
  return {.host = std::move(host), .port = 443, .verdict = verdict, .count = 7, .sent = 9};
}

TEST_CASE("connections of one kind are counted together, and told of once") {
  std::vector<std::string> told;
  Account account([&](const Connections& one) {
    CHECK(one.count == 1);
    told.push_back(one.host);
  });
  Connections& first = account.note(kind("a.example"));
  first.sent += 10;
  account.note(kind("b.example"));
  account.note(kind("a.example")).sent += 5;
  auto denied = kind("a.example", Verdict::denied);
  denied.reason = "no rule";
  account.note(denied);
  denied.reason = "another";
  account.note(denied);
  denied.reason = "no rule";
  account.note(denied);

  const auto all = account.take();
  REQUIRE(all.size() == 4);
  CHECK(all[0].host == "a.example");
  CHECK(all[0].count == 2);
  CHECK(all[0].sent == 15);
  CHECK(all[1].host == "b.example");
  CHECK(all[1].sent == 0);
  CHECK(all[2].verdict == Verdict::denied);
  // Each reason for itself, and none in another's name.
  CHECK(all[2].reason == "no rule");
  CHECK(all[2].count == 2);
  CHECK(all[3].verdict == Verdict::denied);
  CHECK(all[3].reason == "another");
  CHECK(all[3].count == 1);
  CHECK(told == std::vector<std::string>{"a.example", "b.example", "a.example", "a.example"});
}

TEST_CASE("of one place there are few reasons, and the others are told as others") {
  std::size_t told = 0;
  Account account([&](const Connections&) { ++told; });
  auto failed = kind("a.example", Verdict::failed);
  for (int at = 0; at < 1000; ++at) {
    failed.reason = "it said " + std::to_string(at);
    account.note(failed);
  }
  failed.reason = "it said 3";
  account.note(failed);
  account.note(kind("b.example", Verdict::failed));
  const auto all = account.take();
  REQUIRE(all.size() == 10);
  CHECK(told == 10);
  for (std::size_t at = 0; at < 8; ++at) {
    CHECK(all[at].reason == "it said " + std::to_string(at));
    CHECK(all[at].count == (at == 3 ? 2 : 1));
  }
  CHECK(all[8].reason == "for other reasons");
  CHECK(all[8].count == 992);
  CHECK(all[9].host == "b.example");
  CHECK(account.others() == 0);
}

TEST_CASE("what two lines of a profile decide is of two kinds") {
  Account account({});
  auto denied = kind("a.example", Verdict::denied);
  for (const char* line :
       {"network: {verify_name: false}", "network: {allow: [\"10.0.0.5:443\"]}"}) {
    denied.allow_with = denied.reason = line;
    account.note(denied);
  }
  const auto all = account.take();
  REQUIRE(all.size() == 2);
  for (const Connections& one : all) CHECK(one.reason == one.allow_with);
}

TEST_CASE("refusals without end neither grow the account nor hide what was reached") {
  std::size_t told = 0;
  Account account([&](const Connections&) { ++told; });
  for (int at = 0; at < 5000; ++at)
    account.note(kind(std::to_string(at) + ".evil.example", Verdict::denied));
  CHECK(told == 500);
  CHECK(account.others() == 4500);
  Connections& reached = account.note(kind("good.example"));
  reached.received = 1;
  account.note(kind("0.evil.example", Verdict::denied));
  const auto all = account.take();
  REQUIRE(all.size() == 501);
  CHECK(all.front().count == 2);
  CHECK(all.back().host == "good.example");
  CHECK(all.back().received == 1);
  CHECK(account.others() == 4500);
}

TEST_CASE("verdicts have their words") {
  CHECK(to_string(Verdict::allowed) == "allowed");
  CHECK(to_string(Verdict::denied) == "denied");
  CHECK(to_string(Verdict::failed) == "failed");
  CHECK(to_string(Verdict::limited) == "limited");
}

}  // namespace
}  // namespace sbx::egress
