// What finding tools needs of the file system: looking, never running. Runs in the supervisor.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/host_facts.hpp"

namespace sbx::os {

/// A symbolic link that was passed on the way; `path` itself holds no other link.
struct PathLink {
  std::string path;
  std::string text;
};

struct ResolvedPath {
  std::string path;             ///< canonical
  std::vector<PathLink> links;  ///< in the order they were followed
};

/// realpath(3) that also tells the links it went through. nullopt: missing, or too many links.
std::optional<ResolvedPath> resolve_path(std::string_view path);

std::string parent_of(std::string_view path);  ///< "/a/b" -> "/a", "/a" -> "/"
std::string base_name(std::string_view path);
std::string join_path(std::string_view folder, std::string_view name);
std::string join_path(std::initializer_list<std::string_view> parts);
/// False where `folder` is not known: "".
bool is_at_or_below(std::string_view path, std::string_view folder);

bool is_folder(const std::string& path);
bool exists(const std::string& path);
/// A regular file (links followed) that we may execute.
bool is_program(const std::string& path);
/// The text of a file, links followed. EFBIG: it has more than `most` bytes; EINVAL: it is a
/// folder, a FIFO or the like.
SysResult<std::string> read_regular_file(const std::string& path, std::size_t most);
/// The text of a small file; nullopt: missing, unreadable, or larger than 64 KiB.
std::optional<std::string> read_small_file(const std::string& path);
/// What a dynamically linked program names as its loader: "/lib64/ld-linux-x86-64.so.2"; "": none.
std::string loader_of(const std::string& program);
std::vector<std::string> names_in(const std::string& folder);

/// Takes the first line off `text`, without the white space around it.
std::string_view take_line(std::string_view& text);

/// The caller's variable, or empty.
std::string env_of(const HostFacts& facts, const std::string& name);
/// `name` in the caller's PATH (absolute folders only), leaving out the folder `without`.
std::optional<std::string> search_path(const std::string& name, const HostFacts& facts,
                                       const std::string& without = {});
/// The caller's directory and everything above it, nearest first.
std::vector<std::string> upwards(const HostFacts& facts);

}  // namespace sbx::os
