// Time limits, the way to the end of a run, and what is done with signals.
#include <doctest/doctest.h>
#include <signal.h>

#include "supervise/deadline.hpp"
#include "supervise/forward.hpp"

using namespace sbx;
using namespace sbx::supervise;
using std::chrono::milliseconds;

namespace {

constexpr Nanos ms(std::int64_t count) { return count * kMillisecond; }

}  // namespace

TEST_CASE("a run without time limits has no deadline") {
  Deadlines limits({}, 2);
  limits.start(ms(5));
  CHECK_FALSE(limits.next());
  CHECK_FALSE(limits.expired(ms(1'000'000'000)));
  CHECK_FALSE(limits.cpu_check_due(ms(1'000'000'000)));
}

TEST_CASE("the wall limit counts from exec") {
  plan::Supervision how;
  how.wall = milliseconds{100};
  Deadlines limits(how, 2);
  limits.start(ms(50));
  CHECK(limits.next() == ms(150));
  CHECK_FALSE(limits.expired(ms(150) - 1));
  CHECK(limits.expired(ms(150)) == KilledFor::wall);
  limits.shift(ms(30), ms(150));
  CHECK_FALSE(limits.expired(ms(150)));
  CHECK(limits.next() == ms(180));
}

TEST_CASE("output that came while it stood still does not lie in the future") {
  plan::Supervision how;
  how.idle = milliseconds{40};
  Deadlines limits(how, 2);
  limits.start(0);
  limits.note_output(ms(1000));  // stopped from 10 to 1010, and what was in the pipe went out
  limits.shift(ms(1000), ms(1010));
  limits.note_silence(ms(1049));
  CHECK_FALSE(limits.expired(ms(1049)));
  limits.note_silence(ms(1050));
  CHECK(limits.expired(ms(1050)) == KilledFor::idle);
}

TEST_CASE("time in which nobody has looked for output is no silence") {
  plan::Supervision how;
  how.idle = milliseconds{40};
  Deadlines limits(how, 2);
  limits.start(0);
  limits.note_silence(ms(10));
  CHECK_FALSE(limits.expired(ms(1000)));  // the host had no processor for us
  CHECK(limits.next() == ms(40));         // so look at once
  limits.note_output(ms(1000));
  limits.note_silence(ms(1039));
  CHECK_FALSE(limits.expired(ms(1040)));
  limits.note_silence(ms(1040));
  CHECK(limits.expired(ms(1040)) == KilledFor::idle);
}

TEST_CASE("the grace time stands still with the run") {
  Escalation ending;
  ending.begin(0, ms(100));
  CHECK(ending.take(ms(1)) == Escalation::Act::terminate);
  ending.shift(ms(500));
  CHECK(ending.take(ms(599)) == Escalation::Act::nothing);
  CHECK(ending.take(ms(600)) == Escalation::Act::kill);
  Escalation never;
  never.shift(ms(500));
  CHECK_FALSE(never.begun());
}

TEST_CASE("a terminal that goes away sends SIGHUP twice, and asks once") {
  using Act = Forwarder::Act;
  for (const auto& [first, second] :
       {std::pair{SIGHUP, SIGHUP}, {SIGTERM, SIGHUP}, {SIGHUP, SIGTERM}}) {
    Forwarder forwarder(ms(2000));
    CHECK(forwarder.on_signal(first, ms(1)) == Act::forward);
    CHECK(forwarder.on_signal(second, ms(900)) == Act::nothing);
    CHECK_FALSE(forwarder.overdue(ms(2000)));
    CHECK(forwarder.on_signal(second, ms(1002)) == Act::kill);
  }
  for (const auto& [first, second] :
       {std::pair{SIGINT, SIGINT}, {SIGTERM, SIGTERM}, {SIGINT, SIGHUP}, {SIGHUP, SIGINT}}) {
    Forwarder forwarder(ms(2000));
    CHECK(forwarder.on_signal(first, ms(1)) == Act::forward);
    CHECK(forwarder.on_signal(second, ms(2)) == Act::kill);
  }
  Forwarder stopped(ms(2000));
  CHECK(stopped.on_signal(SIGTERM, 0) == Act::forward);
  stopped.shift(ms(10000));
  CHECK_FALSE(stopped.overdue(ms(11999)));
  CHECK(stopped.overdue(ms(12000)));
}

TEST_CASE("output puts the idle limit off, not the wall limit") {
  plan::Supervision how;
  how.wall = milliseconds{100};
  how.idle = milliseconds{40};
  Deadlines limits(how, 2);
  limits.start(0);
  CHECK(limits.next() == ms(40));
  limits.note_output(ms(30));
  limits.note_silence(ms(69));
  CHECK_FALSE(limits.expired(ms(69)));
  limits.note_silence(ms(70));
  CHECK(limits.expired(ms(70)) == KilledFor::idle);
  limits.note_output(ms(69));
  CHECK(limits.next() == ms(100));
  CHECK(limits.expired(ms(100)) == KilledFor::wall);
}

TEST_CASE("CPU time is looked at no later than it can be spent") {
  plan::Supervision how;
  how.cpu = milliseconds{1000};
  Deadlines limits(how, 4);
  limits.start(0);
  CHECK(limits.next() == ms(250));
  CHECK(limits.cpu_check_due(ms(250)));
  limits.note_cpu(ms(250), 600'000);
  CHECK(limits.next() == ms(350));
  CHECK_FALSE(limits.cpu_check_due(ms(349)));
  limits.note_cpu(ms(350), 999'999);
  CHECK(limits.next() == ms(360));
  CHECK_FALSE(limits.expired(ms(360)));
  limits.note_cpu(ms(360), 1'000'000);
  CHECK(limits.expired(ms(360)) == KilledFor::cpu);
  // What is gone by the next look cannot be added up any more: that has to come soon.
  limits.note_cpu(ms(360), 600'000, ms(20));
  CHECK(limits.next() == ms(380));
}

TEST_CASE("a simulated tree is stopped within 100 ms of its CPU time") {
  for (const double cpus : {1.0, 2.0, 8.0}) {
    for (const double busy : {0.3, 1.0, cpus}) {
      plan::Supervision how;
      how.cpu = milliseconds{3000};
      Deadlines limits(how, cpus);
      limits.start(0);
      Nanos now = 0;
      int looks = 0;
      while (!limits.expired(now)) {
        REQUIRE(limits.next());
        now = *limits.next();
        limits.note_cpu(now, static_cast<std::uint64_t>(static_cast<double>(now) * busy / 1000));
        ++looks;
      }
      const double used_ms = static_cast<double>(now) * busy / 1e6;
      CHECK(used_ms >= 3000);
      CHECK(used_ms <= 3000 + 100);
      CHECK(looks < 400);
    }
  }
}

TEST_CASE("CPU time that cannot be read is not waited for") {
  plan::Supervision how;
  how.cpu = milliseconds{1000};
  Deadlines limits(how, 1);
  limits.start(0);
  limits.note_cpu(ms(1000), std::nullopt);
  CHECK_FALSE(limits.next());
  CHECK_FALSE(limits.expired(ms(99999)));
}

TEST_CASE("without grace a run is killed at once, and once") {
  Escalation end;
  CHECK(end.take(0) == Escalation::Act::nothing);
  end.begin(ms(10), 0);
  CHECK_FALSE(end.killed());
  CHECK(end.take(ms(10)) == Escalation::Act::kill);
  CHECK(end.killed());
  CHECK(end.take(ms(11)) == Escalation::Act::nothing);
  CHECK_FALSE(end.next());
}

TEST_CASE("with grace it is TERM, a wait, and KILL") {
  Escalation end;
  end.begin(ms(10), ms(100));
  CHECK(end.take(ms(10)) == Escalation::Act::terminate);
  CHECK(end.take(ms(11)) == Escalation::Act::nothing);
  CHECK(end.next() == ms(110));
  CHECK(end.take(ms(109)) == Escalation::Act::nothing);
  CHECK(end.take(ms(110)) == Escalation::Act::kill);
}

TEST_CASE("a second reason may shorten the grace but not lengthen it") {
  Escalation end;
  end.begin(ms(10), ms(100));
  CHECK(end.take(ms(10)) == Escalation::Act::terminate);
  end.begin(ms(20), ms(500));
  CHECK(end.next() == ms(110));
  end.begin(ms(30), 0);
  CHECK(end.take(ms(30)) == Escalation::Act::kill);
}

TEST_CASE("the first signal is forwarded and the second one kills") {
  for (const int first : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Forwarder signals(0);
    CHECK(signals.on_signal(first, 0) == Forwarder::Act::forward);
    CHECK(signals.asked() == first);
    CHECK(signals.on_signal(SIGINT, 1) == Forwarder::Act::kill);
    CHECK(signals.asked() == first);
    CHECK_FALSE(signals.overdue(ms(100'000)));
  }
}

TEST_CASE("a SIGTERM that is not heeded kills after the grace time, a SIGINT does not") {
  Forwarder term(ms(5000));
  CHECK(term.on_signal(SIGTERM, ms(100)) == Forwarder::Act::forward);
  CHECK(term.next() == ms(5100));
  CHECK_FALSE(term.overdue(ms(5099)));
  CHECK(term.overdue(ms(5100)));
  CHECK_FALSE(term.overdue(ms(5101)));
  Forwarder hangup(0);
  (void)hangup.on_signal(SIGHUP, 0);
  CHECK(hangup.next() == ms(2000));
  Forwarder interrupt(0);
  (void)interrupt.on_signal(SIGINT, 0);
  CHECK_FALSE(interrupt.next());
}

TEST_CASE("job control, window size and the user's own signals are not requests to end") {
  Forwarder signals(0);
  CHECK(signals.on_signal(SIGTSTP, 0) == Forwarder::Act::stop);
  CHECK(signals.on_signal(SIGCONT, 0) == Forwarder::Act::resume);
  CHECK(signals.on_signal(SIGWINCH, 0) == Forwarder::Act::resize);
  CHECK(signals.on_signal(SIGUSR1, 0) == Forwarder::Act::pass);
  CHECK(signals.on_signal(SIGUSR2, 0) == Forwarder::Act::pass);
  CHECK(signals.on_signal(SIGALRM, 0) == Forwarder::Act::nothing);
  CHECK(signals.asked() == 0);
}
