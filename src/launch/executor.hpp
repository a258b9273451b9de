// Does one step of init, payload or guard. One short function per kind of step; none allocates,
// none throws, each returns the errno that stopped it.
#pragma once

#include "base/error.hpp"
#include "launch/context.hpp"
#include "plan/step.hpp"

namespace sbx::launch {

using StepResult = SysResult<void>;

/// Dispatches to the functions below; a step that belongs to the supervisor is EPROTO here.
StepResult execute(const plan::Action& action, Context& context) noexcept;

// execute_namespaces.cpp
StepResult run(const plan::AwaitIdMaps&, Context&) noexcept;
StepResult run(const plan::ResetOomScore&, Context&) noexcept;
StepResult run(const plan::DieWithSupervisor&, Context&) noexcept;
StepResult run(const plan::SetTimeOffsets&, Context&) noexcept;
StepResult run(const plan::BecomeInnerIds&, Context&) noexcept;
StepResult run(const plan::ForbidNamespaces&, Context&) noexcept;
StepResult run(const plan::SetHostname&, Context&) noexcept;
StepResult run(const plan::UnshareCgroup&, Context&) noexcept;
StepResult run(const plan::HideCommandLine&, Context&) noexcept;
StepResult run(const plan::SetDumpable&, Context&) noexcept;

// execute_together.cpp
StepResult run(const plan::ForkPayload&, Context&) noexcept;
StepResult run(const plan::NewNetwork&, Context&) noexcept;
StepResult run(const plan::RaiseLoopback&, Context&) noexcept;
StepResult run(const plan::RouteToSelf&, Context&) noexcept;
StepResult run(const plan::OpenGateway&, Context&) noexcept;
StepResult run(const plan::EnterNetwork&, Context&) noexcept;
StepResult run(const plan::PassCgroups&, Context&) noexcept;
StepResult run(const plan::JoinCgroups&, Context&) noexcept;
StepResult run(const plan::LendRoot&, Context&) noexcept;
StepResult run(const plan::BorrowRoot&, Context&) noexcept;
StepResult run(const plan::ReturnRoot&, Context&) noexcept;
StepResult run(const plan::TakeRootBack&, Context&) noexcept;
StepResult run(const plan::ShowRoot&, Context&) noexcept;
StepResult run(const plan::AwaitRoot&, Context&) noexcept;
StepResult run(const plan::ReleasePayload&, Context&) noexcept;
StepResult run(const plan::AwaitRelease&, Context&) noexcept;
StepResult run(const plan::AwaitGateway&, Context&) noexcept;

// execute_mounts.cpp
StepResult run(const plan::PrivatePropagation&, Context&) noexcept;
StepResult run(const plan::MountRoot&, Context&) noexcept;
StepResult run(const plan::MakeDir&, Context&) noexcept;
StepResult run(const plan::MakeSymlink&, Context&) noexcept;
StepResult run(const plan::WriteFile&, Context&) noexcept;
StepResult run(const plan::WriteSecret&, Context&) noexcept;
StepResult run(const plan::CopyFile&, Context&) noexcept;
StepResult run(const plan::BindTree&, Context&) noexcept;
StepResult run(const plan::AttachTree&, Context&) noexcept;
StepResult run(const plan::SealMount&, Context&) noexcept;
StepResult run(const plan::BindInside&, Context&) noexcept;
StepResult run(const plan::ProtectPath&, Context&) noexcept;
StepResult run(const plan::HandOverRoot&, Context&) noexcept;
StepResult run(const plan::PivotRoot&, Context&) noexcept;
StepResult run(const plan::DropOldRoot&, Context&) noexcept;

// execute_filesystems.cpp
StepResult run(const plan::MountTmpfs&, Context&) noexcept;
StepResult run(const plan::MountProc&, Context&) noexcept;
StepResult run(const plan::MountDevpts&, Context&) noexcept;
StepResult run(const plan::MountQueues&, Context&) noexcept;
StepResult run(const plan::BindDevice&, Context&) noexcept;
StepResult run(const plan::OpenPty&, Context&) noexcept;

// execute_overlay.cpp
StepResult run(const plan::MountOverlay&, Context&) noexcept;

// execute_copy_in.cpp
StepResult run(const plan::CopyIn&, Context&) noexcept;

// execute_masks.cpp
StepResult run(const plan::MaskPath&, Context&) noexcept;
StepResult run(const plan::MaskGlob&, Context&) noexcept;

// execute_shared.cpp
StepResult run(const plan::BecomeReservedId&, Context&) noexcept;
StepResult run(const plan::HoldTree&, Context&) noexcept;
StepResult run(const plan::ForkKeeper&, Context&) noexcept;
StepResult run(const plan::MakeScratch&, Context&) noexcept;
StepResult run(const plan::DieWithInit&, Context&) noexcept;
/// Before init closes its descriptors: those that hold the private folder and the keeper, when
/// there are some, and the channel move to the lowest numbers. Returns the first number above them.
SysResult<unsigned> keep_held(Context& context) noexcept;
/// What init does last when no pid namespace does it: ends the tree, removes the private folder.
void end_shared_tree(Context& context) noexcept;

// execute_payload.cpp
StepResult run(const plan::NewSession&, Context&) noexcept;
StepResult run(const plan::PlaceStdio&, Context&) noexcept;
StepResult run(const plan::SetRlimit&, Context&) noexcept;
StepResult run(const plan::ChangeDir&, Context&) noexcept;
StepResult run(const plan::ResolveExecutable&, Context&) noexcept;
StepResult run(const plan::NoNewPrivs&, Context&) noexcept;
StepResult run(const plan::ApplyLandlock&, Context&) noexcept;
StepResult run(const plan::EmptyBoundingSet&, Context&) noexcept;
StepResult run(const plan::DropCapabilities&, Context&) noexcept;
StepResult run(const plan::ResetSignals&, Context&) noexcept;
StepResult run(const plan::ResetInherited&, Context&) noexcept;
StepResult run(const plan::CloseDescriptors&, Context&) noexcept;
StepResult run(const plan::InstallSeccomp&, Context&) noexcept;
StepResult run(const plan::ExecPayload&, Context&) noexcept;

// Shared by the steps that fork (execute_together.cpp).

/// What a child of init's does, with its end of a pair; it never comes back.
using ChildPart = void (*)(Context&, os::UniqueFd) noexcept;
SysResult<pid_t> fork_child(Context& context, os::UniqueFd end, ChildPart part) noexcept;

// Shared by the mount steps (execute_mounts.cpp).

struct Place {
  int folder = -1;  ///< the context's
  const char* name = nullptr;
};
/// Where in the new root `path` is, found without following links: one of the root's own
/// ("/bin" -> "/usr/bin") would lead to the host's tree, where "/" still points.
SysResult<Place> place_of(Context& context, const std::string& path) noexcept;
/// Where on the host `path` is, found without following links; `name` itself may be one.
SysResult<Place> source_at(Context& context, const std::string& path) noexcept;
/// MOUNT_ATTR_* for `flags`.
std::uint64_t mount_attributes(const plan::MountFlags& flags) noexcept;
/// Attaches `tree` at `target` inside the new root, which must exist there.
StepResult attach_at(Context& context, const os::UniqueFd& tree,
                     const std::string& target) noexcept;
/// Takes away what is mounted at `target` inside the new root, with what is mounted in there. That
/// waits for an RCU grace period. The new root is the working directory after it.
StepResult detach_at(Context& context, const std::string& target) noexcept;
/// Binds what `place` (O_PATH) is onto itself, so that it can be neither renamed nor removed;
/// returns what is there from then on.
SysResult<os::UniqueFd> bind_onto_itself(Context& context, int place, bool read_only) noexcept;
/// An absolute inside path as one relative to the root descriptor ("/" is ".").
const char* relative(const std::string& path) noexcept;

}  // namespace sbx::launch
