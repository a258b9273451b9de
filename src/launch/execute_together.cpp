// What init and the payload do side by side: init makes the root, the payload the network. A pair
// of sockets carries what they wait for; its end of file says that the other one has died.
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/fail.hpp"
#include "launch/children.hpp"
#include "launch/executor.hpp"
#include "launch/placement.hpp"
#include "os/big_packets.hpp"
#include "os/cpu_time.hpp"
#include "os/gateway_sockets.hpp"
#include "os/network.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "os/route.hpp"

namespace sbx::launch {
namespace {

/// A payload that is gone has reported why by itself, and init's part is then to reap it.
StepResult tell_payload(const Context& context) noexcept {
  const auto told = os::send_descriptors(context.peer.get(), {});
  if (!told && told.error().value != os::kPeerGone) return told;
  return {};
}

/// The device of the file system at `path`: the new root, a tmpfs of this run, has one of its own.
SysResult<::dev_t> device_of(const char* path) noexcept {
  struct ::stat what{};
  if (::stat(path, &what) != 0) return fail();
  return what.st_dev;
}

/// Has init closed its end? It does after its last step, or by dying.
bool init_is_done(const Context& context) noexcept {
  ::pollfd end{context.peer.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) != 0;
}

/// What the payload sends next.
SysResult<std::array<os::UniqueFd, os::kMaxPassed>> await_payload(const Context& context) noexcept {
  call_payload_back(context);
  return os::receive_descriptors(context.peer.get(), true);
}

StepResult await_init(const Context& context) noexcept {
  SBX_CHECK(os::receive_descriptors(context.peer.get(), true));
  return {};
}

}  // namespace

SysResult<pid_t> fork_child(Context& context, os::UniqueFd end, ChildPart part) noexcept {
  struct Given {
    Context& context;
    os::UniqueFd& end;
    ChildPart part;
  } given{context, end, part};
  const os::ChildMain child = [](void* raw) noexcept {
    const Given& own = *static_cast<Given*>(raw);
    own.part(own.context, std::move(own.end));
  };
  return os::fork_process(child, &given);
}

StepResult run(const plan::ForkPayload&, Context& context) noexcept {
  // pivot_root(2) moves who stands in the old root, and nobody else: a working directory further
  // down would pin the host's tree.
  if (::chdir("/") != 0) return fail();
  context.host_root = SBX_TRY(device_of("/"));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return fail();
  context.peer = os::UniqueFd(ends[0]);
  context.init_pid = ::getpid();
  context.payload_pid = SBX_TRY(
      fork_child(context, os::UniqueFd(ends[1]), [](Context& own, os::UniqueFd end) noexcept {
        own.peer = std::move(end);
        payload_main(own);
      }));
  context.processors.send_away(context.payload_pid);
  return {};
}

StepResult run(const plan::NewNetwork&, Context& context) noexcept {
  const os::UniqueFd network = SBX_TRY(os::new_network());
  const int passed[] = {network.get()};
  return os::send_descriptors(context.peer.get(), passed);
}

StepResult run(const plan::RaiseLoopback&, Context&) noexcept { return os::raise_loopback(); }

StepResult run(const plan::RouteToSelf&, Context&) noexcept {
  (void)os::enlarge_packets();  // without it the way out is slower, and no less narrow
  return os::route_all_to_self();
}

StepResult run(const plan::OpenGateway& step, Context& context) noexcept {
  return os::send_gateway(context.gateway_channel,
                          {.tcp = step.tcp, .udp = step.udp, .more = step.more});
}

StepResult run(const plan::AwaitGateway&, Context& context) noexcept {
  return os::await_watched(context.gateway_channel);
}

StepResult run(const plan::EnterNetwork&, Context& context) noexcept {
  const auto received = SBX_TRY(await_payload(context));
  return os::enter_network(received.front().get());
}

StepResult run(const plan::LendRoot&, Context& context) noexcept {
  const int passed[] = {context.root.get(), context.empty_folder.fd.get()};
  return os::send_descriptors(context.peer.get(), passed);
}

StepResult run(const plan::BorrowRoot&, Context& context) noexcept {
  auto lent = SBX_TRY(os::receive_descriptors(context.peer.get(), true));
  context.root = std::move(lent[0]);
  context.empty_folder.fd = std::move(lent[1]);
  return {};
}

StepResult run(const plan::ReturnRoot&, Context& context) noexcept {
  for (os::UniqueFd* const fd :
       {&context.root, &context.empty_folder.fd, &context.null.fd, &context.folder.fd})
    fd->reset();
  return os::send_descriptors(context.peer.get(), {});
}

StepResult run(const plan::TakeRootBack&, Context& context) noexcept {
  SBX_CHECK(await_payload(context));
  return {};
}

StepResult run(const plan::PassCgroups&, Context& context) noexcept {
  const auto groups = SBX_TRY(os::receive_descriptors(context.channel, true));
  std::array<int, os::kMaxPassed> passed{};
  std::size_t count = 0;
  for (const os::UniqueFd& tasks : groups)
    if (tasks.valid()) passed[count++] = tasks.get();
  const auto told = os::send_descriptors(context.peer.get(), std::span(passed).first(count));
  // As in tell_payload().
  if (!told && told.error().value != os::kPeerGone) return told;
  return {};
}

StepResult run(const plan::JoinCgroups&, Context& context) noexcept {
  const auto groups = SBX_TRY(os::receive_descriptors(context.peer.get(), true));
  for (const os::UniqueFd& tasks : groups)
    if (tasks.valid() && ::write(tasks.get(), "0", 1) != 1) return fail();
  context.page->payload_ungrouped.store(os::own_cpu_time());
  return {};
}

StepResult run(const plan::ShowRoot&, Context& context) noexcept { return tell_payload(context); }

StepResult run(const plan::AwaitRoot&, Context& context) noexcept {
  SBX_CHECK(await_init(context));
  // It was init that called pivot_root(2), and the kernel that moved us along. Never go on
  // elsewhere.
  if (SBX_TRY(device_of("/")) == context.host_root) return std::unexpected(Errno{EXDEV});
  return {};
}

StepResult run(const plan::ReleasePayload&, Context& context) noexcept {
  SBX_CHECK(os::receive_descriptors(context.channel, true));  // the supervisor is ready, too
  let_init_move(context);
  context.page->init_own.store(os::own_cpu_time());
  SBX_CHECK(tell_payload(context));
  // From here on the payload alone holds the pipe: its exec shows at once, and the clock of
  // limits.wall starts with it, however long the kernel needs for the old root. What fails in init
  // now is told by the page and by its end.
  ::close(context.failure_pipe);
  context.failure_pipe = -1;
  return {};
}

StepResult run(const plan::AwaitRelease&, Context& context) noexcept {
  SBX_CHECK(await_init(context));
  context.processors.take_all();
  // init detaches the host's tree now. That is a matter of microseconds; its umount2(2) returns
  // only after an RCU grace period (namespace_unlock() in fs/namespace.c), which is one of
  // milliseconds when processors are busy. The tree lies on top of our root, so that "/.." leads
  // into it for as long as it is attached. Where nobody gets a processor at once, init least of all
  // gets ours while we go on looking.
  constexpr int kLooks = 4;
  constexpr ::timespec kPause{0, 50'000};
  const ::dev_t root = SBX_TRY(device_of("/"));
  bool done = false;
  for (int looks = 1;; ++looks) {
    if (SBX_TRY(device_of("/..")) == root) return {};
    if (done) return std::unexpected(Errno{EXDEV});
    if (looks <= kLooks)
      ::sched_yield();
    else
      (void)::nanosleep(&kPause, nullptr);
    done = init_is_done(context);
  }
}

}  // namespace sbx::launch
