// The kinds of steps as numbers and names, without looking into the steps.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "plan/step.hpp"

namespace sbx::plan {

/// Action::index() of a step of kind `Kind`.
template <class Kind>
consteval std::size_t kind_index() {
  std::size_t index = 0;
  [&]<class... All>(std::type_identity<std::variant<All...>>) {
    static_cast<void>(((std::is_same_v<Kind, All> ? true : (++index, false)) || ...));
  }(std::type_identity<Action>{});
  return index;
}

/// Stable snake_case names, in the order of Action's alternatives.
inline constexpr std::array kKindNames{
    std::string_view{"reserve_host_id"},
    std::string_view{"detach_tree"},
    std::string_view{"make_cgroup"},
    std::string_view{"clone_namespaces"},
    std::string_view{"reset_oom_score"},
    std::string_view{"write_id_maps"},
    std::string_view{"hand_over_cgroups"},
    std::string_view{"await_id_maps"},
    std::string_view{"die_with_supervisor"},
    std::string_view{"set_time_offsets"},
    std::string_view{"become_inner_ids"},
    std::string_view{"become_reserved_id"},
    std::string_view{"hold_tree"},
    std::string_view{"fork_keeper"},
    std::string_view{"make_scratch"},
    std::string_view{"forbid_namespaces"},
    std::string_view{"set_hostname"},
    std::string_view{"private_propagation"},
    std::string_view{"mount_root"},
    std::string_view{"make_dir"},
    std::string_view{"make_symlink"},
    std::string_view{"write_file"},
    std::string_view{"write_secret"},
    std::string_view{"copy_file"},
    std::string_view{"bind_tree"},
    std::string_view{"attach_tree"},
    std::string_view{"mount_tmpfs"},
    std::string_view{"mount_overlay"},
    std::string_view{"copy_in"},
    std::string_view{"seal_mount"},
    std::string_view{"bind_inside"},
    std::string_view{"bind_device"},
    std::string_view{"mount_proc"},
    std::string_view{"mount_devpts"},
    std::string_view{"mount_queues"},
    std::string_view{"mask_path"},
    std::string_view{"mask_glob"},
    std::string_view{"protect_path"},
    std::string_view{"lend_root"},
    std::string_view{"take_root_back"},
    std::string_view{"hand_over_root"},
    std::string_view{"pivot_root"},
    std::string_view{"pass_cgroups"},
    std::string_view{"unshare_cgroup"},
    std::string_view{"join_cgroups"},
    std::string_view{"fork_payload"},
    std::string_view{"show_root"},
    std::string_view{"drop_old_root"},
    std::string_view{"enter_network"},
    std::string_view{"release_payload"},
    std::string_view{"new_network"},
    std::string_view{"raise_loopback"},
    std::string_view{"route_to_self"},
    std::string_view{"open_gateway"},
    std::string_view{"borrow_root"},
    std::string_view{"return_root"},
    std::string_view{"await_root"},
    std::string_view{"await_release"},
    std::string_view{"await_gateway"},
    std::string_view{"die_with_init"},
    std::string_view{"open_pty"},
    std::string_view{"new_session"},
    std::string_view{"place_stdio"},
    std::string_view{"set_rlimit"},
    std::string_view{"change_dir"},
    std::string_view{"resolve_executable"},
    std::string_view{"no_new_privs"},
    std::string_view{"apply_landlock"},
    std::string_view{"empty_bounding_set"},
    std::string_view{"drop_capabilities"},
    std::string_view{"set_dumpable"},
    std::string_view{"hide_command_line"},
    std::string_view{"reset_signals"},
    std::string_view{"reset_inherited"},
    std::string_view{"close_descriptors"},
    std::string_view{"install_seccomp"},
    std::string_view{"exec_payload"},
    std::string_view{"fail"},
};
static_assert(kKindNames.size() == std::variant_size_v<Action>);
static_assert(kKindNames[kind_index<MountRoot>()] == "mount_root");
static_assert(kKindNames[kind_index<OpenPty>()] == "open_pty");
static_assert(kKindNames[kind_index<Fail>()] == "fail");

/// "bind_tree" and so on: in JSON, in messages and in tests.
inline std::string_view kind_name(const Action& action) { return kKindNames[action.index()]; }

}  // namespace sbx::plan
