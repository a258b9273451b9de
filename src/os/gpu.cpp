#include "os/gpu.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

/// Nodes of one kind: in a folder, with a number behind their name. The primary nodes of DRI
/// ("card0") are not among them: whoever has one may set the mode of a screen that nobody else has
/// taken (drm(7)).
struct Family {
  const char* folder;
  std::string_view name;
  int access;
};
constexpr std::array kFamilies{Family{"/dev/dri", "renderD", R_OK | W_OK},
                               Family{"/dev", "nvidia", R_OK | W_OK},
                               Family{"/dev/nvidia-caps", "nvidia-cap", R_OK}};
/// NVIDIA's other nodes, AMD's for computing, and that of a Linux on Windows.
constexpr std::array kSingle{"/dev/nvidiactl",      "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                             "/dev/nvidia-modeset", "/dev/kfd",        "/dev/dxg"};
/// What drivers read of /etc.
constexpr std::array kSettings{"/etc/OpenCL", "/etc/drirc",  "/etc/egl",
                               "/etc/glvnd",  "/etc/nvidia", "/etc/vulkan"};
/// A driver's own libraries have to be of the version of its part in the kernel, which no image
/// knows; Mesa's need not.
constexpr std::array kLibraryFolders{"/usr/lib/x86_64-linux-gnu",
                                     "/usr/lib/x86_64-linux-gnu/nvidia/current",
                                     "/usr/lib/aarch64-linux-gnu",
                                     "/usr/lib/aarch64-linux-gnu/nvidia/current",
                                     "/usr/lib64",
                                     "/usr/lib",
                                     "/usr/lib/wsl/lib"};
constexpr std::array<std::string_view, 12> kLibraries{
    "libcuda.so",     "libcudadebugger.so", "libnvidia-",    "libnvcuvid.so",
    "libnvoptix.so",  "libEGL_nvidia.so",   "libGLX_nvidia", "libGLESv1_CM_nvidia",
    "libGLESv2_nvid", "libvdpau_nvidia",    "libdxcore.so",  "libd3d12"};

class Finder {
 public:
  Finder(bool as_root, std::string top) : as_root_(as_root), top_(std::move(top)) {}

  GpuFacts find(bool host_root) {
    find_nodes();
    if (gpu_.nodes.empty()) {
      say_problem();
      return std::move(gpu_);
    }
    for (const std::string& node : gpu_.nodes) show_device(node);
    for (const std::string& name : sorted(top_ + "/proc/driver/nvidia/gpus"))
      show("/sys/bus/pci/devices/" + name);
    if (std::ranges::find(gpu_.nodes, "/dev/kfd") != gpu_.nodes.end()) show("/sys/class/kfd/kfd");
    if (host_root)
      show_settings();
    else if (needs_libraries())
      show_libraries();
    return std::move(gpu_);
  }

 private:
  static std::vector<std::string> sorted(const std::string& folder) {
    std::vector<std::string> names = names_in(folder);
    std::ranges::sort(names);
    return names;
  }

  void find_nodes() {
    for (const Family& family : kFamilies)
      for (const std::string& name : sorted(top_ + family.folder)) {
        const std::string_view number =
            name.starts_with(family.name) ? std::string_view(name).substr(family.name.size()) : "";
        if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos)
          take_node(std::string(family.folder) + '/' + name, family.access);
      }
    for (const char* path : kSingle) take_node(path, R_OK | W_OK);
  }

  void take_node(const std::string& path, int access) {
    struct ::stat what{};
    if (::lstat((top_ + path).c_str(), &what) != 0 || !S_ISCHR(what.st_mode)) return;
    // The bits of access(2) are those of others in a mode.
    const bool open =
        as_root_ ? (what.st_mode & static_cast<unsigned>(access)) == static_cast<unsigned>(access)
                 : ::access((top_ + path).c_str(), access) == 0;
    if (open)
      gpu_.nodes.push_back(path);
    else if (closed_.empty())
      closed_ = path;
  }

  void say_problem() {
    if (closed_.empty()) {
      gpu_.problem =
          "this host has no graphics processor for it: there is no /dev/dri/renderD128, "
          "/dev/nvidia0, /dev/kfd or /dev/dxg";
      gpu_.advice = "load its driver, or take the entry out";
      return;
    }
    gpu_.problem = "the command would not be allowed to open " + closed_;
    gpu_.advice = as_root_ ? "started by root it has a user and a group of its own: let all others "
                             "open the node (udev(7)), or start sbx as a user who may"
                           : "become a member of the node's group, mostly render or video";
  }

  /// What `path` leads to, and the links on the way that do not lie in there.
  void show(const std::string& path) {
    const auto found = resolve_path(top_ + path);
    if (!found) return;
    add_tree(inside(found->path), found->path);
    for (const PathLink& link : found->links)
      add(inside(link.path), EntryType::symlink, {}, link.text);
  }

  /// What sysfs says of the device behind a node, to libdrm, which names it by its numbers.
  void show_device(const std::string& node) {
    struct ::stat what{};
    if (::stat((top_ + node).c_str(), &what) != 0) return;
    std::string path = "/sys/dev/char/" + std::to_string(major(what.st_rdev)) + ':' +
                       std::to_string(minor(what.st_rdev)) + "/device";
    auto device = resolve_path(top_ + path);
    if (device && base_name(device->path).starts_with("virtio")) {  // it asks for what that is on
      path += "/..";
      device = resolve_path(top_ + path);
    }
    if (!device) return;
    show(path);
    show("/sys/bus/pci/devices/" + base_name(device->path));
  }

  void show_settings() {
    for (const char* path : kSettings)
      if (exists(top_ + path)) add_tree(path, top_ + path);
  }

  bool needs_libraries() const {
    return std::ranges::any_of(gpu_.nodes, [](const std::string& node) {
      return node.starts_with("/dev/nvidia") || node == "/dev/dxg";
    });
  }

  void show_libraries() {
    for (const char* folder : kLibraryFolders)
      for (const std::string& name : sorted(top_ + folder)) {
        const bool wanted = std::ranges::any_of(
            kLibraries, [&](std::string_view begin) { return name.starts_with(begin); });
        if (!wanted || !name.contains(".so")) continue;
        const auto file = resolve_path(top_ + folder + '/' + name);
        if (!file || is_folder(file->path)) continue;
        add_tree(std::string(kGpuLibraries) + '/' + name, file->path);
        gpu_.libraries = kGpuLibraries;
      }
  }

  /// `path` without what stands before the host's tree.
  std::string inside(const std::string& path) const { return path.substr(top_.size()); }

  void add_tree(const std::string& path, const std::string& source) {
    add(path, is_folder(source) ? EntryType::directory : EntryType::file, source, {});
  }

  /// The first of two at one place counts, and what lies in a folder that is shown is there.
  void add(const std::string& path, EntryType type, const std::string& source,
           const std::string& link) {
    for (const RootEntry& old : gpu_.trees)
      if (is_at_or_below(path, old.path)) return;
    gpu_.trees.push_back({path, type, source, link});
  }

  bool as_root_;
  std::string top_;
  GpuFacts gpu_{};
  std::string closed_{};  ///< the first node that may not be opened
};

}  // namespace

GpuFacts find_gpu(bool as_root, bool host_root, const std::string& top) {
  return Finder(as_root, top).find(host_root);
}

}  // namespace sbx::os
