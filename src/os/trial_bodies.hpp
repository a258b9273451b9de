// What a throw-away child does to try one feature; each returns 0 or an errno (attempt.hpp). Where
// it says so, the child has to be in new namespaces.
#pragma once

namespace sbx::os::trial {

int nothing(void*) noexcept;  ///< it was the clone that was tried
// In a user namespace with ids and, but for the first, a mount namespace.
int time_namespace(void*) noexcept;
int tmpfs(void*) noexcept;
int proc(void*) noexcept;             ///< and a pid namespace
int namespace_limit(void*) noexcept;  ///< the same, by a file of that /proc
int devpts(void*) noexcept;
int pivot_root(void*) noexcept;
int bind(void*) noexcept;
int network(void*) noexcept;    ///< as the payload makes its own
int host_name(void*) noexcept;  ///< in a uts namespace
int overlay(void*) noexcept;
// In no namespace.
int idmapped_mount(void* id_map) noexcept;  ///< IdMap: as a run of root's would map its workspace
int seccomp(void*) noexcept;
int seccomp_notify(void*) noexcept;
int landlock(void* abi) noexcept;  ///< int
int pidfd(void*) noexcept;
int pty(void*) noexcept;
int tun(void*) noexcept;  ///< in a user and a network namespace
int kvm(void*) noexcept;

}  // namespace sbx::os::trial
