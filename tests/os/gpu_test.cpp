// Graphics processors, in a tree that looks like a host's.
#include "os/gpu.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "../support/not_tried.hpp"
#include "../support/temp_tree.hpp"

using sbx::EntryType;
using sbx::GpuFacts;
using sbx::RootEntry;
using sbx::os::find_gpu;
using sbx::test::is_root;
using sbx::test::TempTree;

namespace {

void add_node(const TempTree& tree, const std::string& path, ::mode_t mode, unsigned major = 1,
              unsigned minor = 3) {
  tree.folder(path.substr(0, path.rfind('/')));
  REQUIRE(::mknod(tree.path(path).c_str(), S_IFCHR | mode, makedev(major, minor)) == 0);
  REQUIRE(::chmod(tree.path(path).c_str(), mode) == 0);
}

const RootEntry* find(const GpuFacts& gpu, const std::string& path) {
  const auto found = std::ranges::find(gpu.trees, path, &RootEntry::path);
  return found == gpu.trees.end() ? nullptr : &*found;
}

/// A device of PCI, as sysfs has it.
std::string add_device(const TempTree& tree, const std::string& name) {
  const std::string device = "sys/devices/pci0000:00/" + name;
  tree.folder(device);
  tree.link("sys/bus/pci/devices/" + name, "../../../devices/pci0000:00/" + name);
  return device;
}

}  // namespace

TEST_CASE("a host without a graphics processor says so") {
  const TempTree tree;
  tree.file("dev/dri/renderD128", "no node");
  const GpuFacts gpu = find_gpu(true, true, tree.path());
  CHECK(gpu.nodes.empty());
  CHECK(gpu.problem.contains("no graphics processor"));
  CHECK_FALSE(gpu.advice.empty());
}

TEST_CASE("of DRI the nodes for rendering are shown, with what libdrm reads of sysfs") {
  if (!is_root()) return;
  const TempTree tree;
  add_node(tree, "dev/dri/card0", 0666, 226, 0);
  add_node(tree, "dev/dri/renderD128", 0666, 226, 128);
  const std::string device = add_device(tree, "0000:00:02.0");
  tree.folder(device + "/drm/renderD128");
  tree.link(device + "/drm/renderD128/device", "../../../0000:00:02.0");
  tree.link("sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128");
  tree.folder("etc/vulkan");
  const GpuFacts gpu = find_gpu(true, true, tree.path());
  CHECK(gpu.problem.empty());
  CHECK(gpu.nodes == std::vector<std::string>{"/dev/dri/renderD128"});
  REQUIRE(find(gpu, "/" + device) != nullptr);
  CHECK(find(gpu, "/" + device)->source == tree.path(device));
  CHECK(find(gpu, "/" + device)->type == EntryType::directory);
  REQUIRE(find(gpu, "/sys/dev/char/226:128") != nullptr);
  CHECK(find(gpu, "/sys/dev/char/226:128")->link ==
        "../../devices/pci0000:00/0000:00:02.0/drm/renderD128");
  CHECK(find(gpu, "/sys/bus/pci/devices/0000:00:02.0") != nullptr);
  CHECK(find(gpu, "/etc/vulkan") != nullptr);
  CHECK(gpu.trees.size() == 4);
  CHECK(gpu.libraries.empty());
}

TEST_CASE("a virtual one is shown with what it is on") {
  if (!is_root()) return;
  const TempTree tree;
  add_node(tree, "dev/dri/renderD128", 0666, 226, 128);
  const std::string device = add_device(tree, "0000:00:03.0");
  tree.folder(device + "/virtio0/drm/renderD128");
  tree.link(device + "/virtio0/drm/renderD128/device", "../../../virtio0");
  tree.link("sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:03.0/virtio0/drm/renderD128");
  const GpuFacts gpu = find_gpu(true, true, tree.path());
  CHECK(find(gpu, "/" + device) != nullptr);
  CHECK(find(gpu, "/sys/bus/pci/devices/0000:00:03.0") != nullptr);
  CHECK(gpu.trees.size() == 3);
}

TEST_CASE("another root gets the driver's own libraries") {
  if (!is_root()) return;
  const TempTree tree;
  for (const char* node :
       {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-caps/nvidia-cap2"})
    add_node(tree, std::string("dev/") + node, 0666);
  add_node(tree, "dev/nvidia-caps/nvidia-cap1", 0400);
  add_device(tree, "0000:01:00.0");
  tree.folder("proc/driver/nvidia/gpus/0000:01:00.0");
  const std::string folder = "usr/lib/x86_64-linux-gnu/";
  tree.file(folder + "libcuda.so.550.1", "driver");
  tree.link(folder + "libcuda.so.1", "libcuda.so.550.1");
  tree.file(folder + "libcuda.txt", "no library");
  tree.file(folder + "libGL.so.1", "of the root's own");
  const GpuFacts gpu = find_gpu(true, false, tree.path());
  CHECK(gpu.nodes == std::vector<std::string>{"/dev/nvidia0", "/dev/nvidia1",
                                              "/dev/nvidia-caps/nvidia-cap2", "/dev/nvidiactl",
                                              "/dev/nvidia-uvm"});
  CHECK(gpu.libraries == "/run/gpu");
  REQUIRE(find(gpu, "/run/gpu/libcuda.so.1") != nullptr);
  CHECK(find(gpu, "/run/gpu/libcuda.so.1")->source == tree.path(folder + "libcuda.so.550.1"));
  CHECK(find(gpu, "/run/gpu/libcuda.so.550.1") != nullptr);
  CHECK(find(gpu, "/sys/devices/pci0000:00/0000:01:00.0") != nullptr);
  CHECK(find(gpu, "/sys/bus/pci/devices/0000:01:00.0") != nullptr);
  CHECK(gpu.trees.size() == 4);
  // The host's root has them where they are.
  CHECK(find_gpu(true, true, tree.path()).trees.size() == 2);
  CHECK(find_gpu(true, true, tree.path()).libraries.empty());
}

TEST_CASE("a node that the command may not open is none, and is named when there is no other") {
  if (!is_root()) return;
  const TempTree tree;
  add_node(tree, "dev/dri/renderD128", 0660);
  const GpuFacts closed = find_gpu(true, true, tree.path());
  CHECK(closed.nodes.empty());
  CHECK(closed.problem.contains("/dev/dri/renderD128"));
  CHECK(closed.advice.contains("started by root"));
  add_node(tree, "dev/dri/renderD129", 0666);
  CHECK(find_gpu(true, true, tree.path()).nodes == std::vector<std::string>{"/dev/dri/renderD129"});
}
