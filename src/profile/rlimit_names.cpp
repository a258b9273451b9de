// The limits of setrlimit(2), and what each is counted in.
#include "profile/keys.hpp"

namespace sbx::profile {
namespace {

constexpr RlimitName kRlimits[] = {
    {"as", RlimitUnit::size},          {"core", RlimitUnit::size},
    {"cpu", RlimitUnit::seconds},      {"data", RlimitUnit::size},
    {"fsize", RlimitUnit::size},       {"locks", RlimitUnit::count},
    {"memlock", RlimitUnit::size},     {"msgqueue", RlimitUnit::size},
    {"nice", RlimitUnit::count},       {"nofile", RlimitUnit::count},
    {"nproc", RlimitUnit::count},      {"rss", RlimitUnit::size},
    {"rtprio", RlimitUnit::count},     {"rttime", RlimitUnit::microseconds},
    {"sigpending", RlimitUnit::count}, {"stack", RlimitUnit::size},
};

}  // namespace

std::span<const RlimitName> rlimit_names() { return kRlimits; }

}  // namespace sbx::profile
