// A folder of a test's own below the system's temporary folder, gone with the object.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace sbx::test {

class TempTree {
 public:
  TempTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sbx-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      perror("mkdtemp");
      abort();
    }
    root_ = std::filesystem::canonical(pattern).string();
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  /// The absolute path of `inner` ("home/x"); the root for "".
  [[nodiscard]] std::string path(std::string_view inner = {}) const {
    return inner.empty() ? root_ : root_ + "/" + std::string(inner);
  }
  std::string folder(std::string_view inner) const {
    std::filesystem::create_directories(path(inner));
    return path(inner);
  }
  /// In the place of a link, never of what that leads to.
  std::string file(std::string_view inner, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(inner)).parent_path());
    if (std::filesystem::is_symlink(path(inner))) std::filesystem::remove(path(inner));
    std::ofstream(path(inner)) << text;
    return path(inner);
  }
  std::string program(std::string_view inner, std::string_view text =
                                                  "\x7f"
                                                  "ELF") const {
    file(inner, text);
    std::filesystem::permissions(path(inner), std::filesystem::perms(0755));
    return path(inner);
  }
  std::string link(std::string_view inner, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(path(inner)).parent_path());
    std::filesystem::create_symlink(target, path(inner));
    return path(inner);
  }

 private:
  std::string root_;
};

}  // namespace sbx::test
