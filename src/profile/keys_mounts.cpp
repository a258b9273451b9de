// The keys of an item of `mounts`, for each of its forms.
#include <array>
#include <string_view>

#include "profile/keys.hpp"
#include "profile/special.hpp"

namespace sbx::profile {
namespace {

using P = Profile;

BindMount& bind(P& p) { return std::get<BindMount>(p.mounts.back().what); }
TmpfsMount& tmpfs(P& p) { return std::get<TmpfsMount>(p.mounts.back().what); }
CopyMount& copy(P& p) { return std::get<CopyMount>(p.mounts.back().what); }
FileMount& file(P& p) { return std::get<FileMount>(p.mounts.back().what); }

constexpr std::array<std::string_view, 2> kMountModes{"ro", "rw"};

constexpr Key kBind[] = {
    {"bind", "File or folder of the host; relative to the profile's folder",
     SpecialSlot{read_mount_source, schema_text}},
    {"at", "Where the payload sees it", TextSlot{[](P& p) -> auto& { return bind(p).target; }}},
    {"mode", "ro (default) or rw",
     ChoiceSlot{kMountModes, [](P& p, std::size_t i) { bind(p).writable = i == 1; }}},
    {"optional", "true: no error when the source is missing",
     SwitchSlot{[](P& p) -> auto& { return bind(p).optional; }}},
};

constexpr Key kTmpfs[] = {
    {"tmpfs", "Where an empty, writable folder in memory appears",
     TextSlot{[](P& p) -> auto& { return tmpfs(p).target; }}},
    {"size", "How much it holds; counts as memory",
     SizeSlot{[](P& p) -> auto& { return tmpfs(p).size; }}},
    {"inodes", "How many files it holds", CountSlot{[](P& p) -> auto& { return tmpfs(p).inodes; }}},
    {"exec", "false: nothing in it can be executed",
     SwitchSlot{[](P& p) -> auto& { return tmpfs(p).exec; }}},
};

constexpr Key kFile[] = {
    {"file", "Where a small file appears", TextSlot{[](P& p) -> auto& { return file(p).target; }}},
    {"content", "Its text", TextSlot{[](P& p) -> auto& { return file(p).content; }}},
    {"perm", "Its permissions, octal and in quotes: \"0444\"", SpecialSlot{read_perm, schema_perm}},
};

constexpr Key kCopy[] = {
    {"copy", "File or folder of the host to copy; relative to the profile's folder",
     SpecialSlot{read_mount_source, schema_text}},
    {"at", "Where the payload finds its copy: in /tmp, or below a tmpfs",
     TextSlot{[](P& p) -> auto& { return copy(p).target; }}},
    {"optional", "true: no error when the source is missing",
     SwitchSlot{[](P& p) -> auto& { return copy(p).optional; }}},
};

}  // namespace

std::span<const Key> bind_keys() { return kBind; }
std::span<const Key> tmpfs_keys() { return kTmpfs; }
std::span<const Key> file_keys() { return kFile; }
std::span<const Key> copy_keys() { return kCopy; }

}  // namespace sbx::profile
