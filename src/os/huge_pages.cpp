#include "os/huge_pages.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/quantity.hpp"
#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

constexpr const char* kAbove = "/sys/kernel/mm";
constexpr const char* kFolder = "/sys/kernel/mm/hugepages";  // hugetlbpage.rst

std::uint64_t kib_of(std::string_view name) {
  if (!name.starts_with("hugepages-") || !name.ends_with("kB")) return 0;
  name.remove_prefix(10);
  name.remove_suffix(2);
  return parse_number<std::uint64_t>(name).value_or(0);
}

/// The kernel's own words (hugetlb_cgroup.c, mem_fmt()).
std::string cgroup_name(std::uint64_t kib) {
  if (kib >= 1U << 20U) return std::to_string(kib >> 20U) + "GB";
  if (kib >= 1U << 10U) return std::to_string(kib >> 10U) + "MB";
  return std::to_string(kib) + "KB";
}

/// Containers may have something else there.
bool shows_kernel(const char* folder) {
  struct ::statfs facts{};
  return ::statfs(folder, &facts) == 0 && facts.f_type == SYSFS_MAGIC;
}

/// Also where there is no such file; but not of one that could not be read.
bool is_zero(const std::string& file) {
  constexpr std::size_t kNumber = 64;
  const auto text = read_regular_file(file, kNumber);
  return text ? *text == "0\n" : text.error().value == ENOENT;
}

}  // namespace

std::vector<std::string> huge_page_sizes() {
  std::vector<std::string> sizes;
  for (const std::string& name : names_in(kFolder))
    if (const std::uint64_t kib = kib_of(name); kib != 0) sizes.push_back(cgroup_name(kib));
  return sizes;
}

bool has_huge_pages() {
  const std::vector<std::string> names = names_in(kFolder);
  // Only who sees the folder above may say that there is none.
  if (names.empty()) return !shows_kernel(kAbove) || is_folder(kFolder);
  for (const std::string& name : names) {
    const std::string folder = std::string(kFolder) + "/" + name;
    if (!is_zero(folder + "/nr_hugepages") || !is_zero(folder + "/nr_overcommit_hugepages"))
      return true;
  }
  return false;
}

}  // namespace sbx::os
