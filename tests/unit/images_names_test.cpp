// What names in layers, users in images and references to images mean.
#include <doctest/doctest.h>

#include <vector>

#include "images/account.hpp"
#include "images/choose.hpp"
#include "images/entry_name.hpp"

namespace {

using namespace sbx::images;

TEST_CASE("a layer's names count from the root, and never lead upwards") {
  for (const char* path : {"usr/bin/x", "./usr/bin/x", "/usr//bin/./x", "usr/bin/x/"}) {
    const auto name = entry_name(path);
    REQUIRE(name);
    CHECK(name->parents == std::vector<std::string>{"usr", "bin"});
    CHECK(name->name == "x");
    CHECK(name->role == Role::plain);
  }
  for (const char* path : {"", ".", "/", "./"}) {
    const auto name = entry_name(path);
    REQUIRE(name);
    CHECK(name->name.empty());
  }
  for (const char* path :
       {"..", "../x", "a/../b", "a/..", "/../x", "a/.wh.b/c", ".wh.", ".wh..", "a/.wh..."})
    CHECK_FALSE(entry_name(path));
  CHECK_FALSE(entry_name(std::string(256, 'n')));
  CHECK(entry_name(std::string(255, 'n')));
  CHECK_FALSE(entry_name(std::string("a\0b", 3)));
  std::string deep;
  for (std::size_t i = 0; i < kMaxNames; ++i) deep += "/d";
  CHECK(entry_name(deep));
  CHECK_FALSE(entry_name(deep + "/d"));
}

TEST_CASE("marks of what is removed") {
  CHECK(entry_name("a/.wh.b")->role == Role::whiteout);
  CHECK(entry_name("a/.wh.b")->name == "b");
  CHECK(entry_name("a/.wh...b")->name == "..b");
  CHECK(entry_name("a/.wh..wh..opq")->role == Role::opaque);
  CHECK(entry_name(".wh..wh.plnk")->role == Role::ignored);
  CHECK(plain_name("a/.wh.b")->name == ".wh.b");
}

TEST_CASE("users of an image, whose files are hostile text") {
  const char* passwd =
      "::\nroot:x:0:0:\nweb:x:77:78:w:/:/bin/sh\nbad:x:99999999999:1:\nminus:x:-1:0:\n";
  const char* group = "staff:x:79:web\nodd\n";
  const auto find = [&](const char* user) { return find_account(user, passwd, group); };
  CHECK(find("").uid == std::nullopt);
  CHECK(find("web").uid == 77U);
  CHECK(find("web").gid == 78U);
  CHECK(find("77").gid == 78U);
  CHECK(find("5").uid == 5U);
  CHECK(find("5").gid == std::nullopt);
  CHECK(find("web:staff").gid == 79U);
  CHECK(find("5:6").gid == 6U);
  CHECK(find("root").uid == 0U);
  for (const char* nobody :
       {"bad", "minus", "4294967295", "4294967296", "-1", "x", ":", "web:none", " web"}) {
    CHECK_FALSE(find(nobody).problem.empty());
    CHECK_FALSE(find(nobody).uid);
    CHECK_FALSE(find(nobody).gid);
  }
}

TEST_CASE("what an image is called") {
  CHECK(is_called("latest", "latest"));
  CHECK(is_called("docker.io/library/alpine:3.19", "3.19"));
  CHECK(is_called("docker.io/library/alpine:3.19", "alpine:3.19"));
  CHECK_FALSE(is_called("docker.io/library/alpine:3.19", "9"));
  CHECK_FALSE(is_called("docker.io/library/alpine:3.19", "pine:3.19"));
  CHECK_FALSE(is_called("localhost:5000/x", "5000/x"));
  CHECK_FALSE(is_called("x", ""));
}

TEST_CASE("which of several images is meant") {
  std::vector<Descriptor> all(3);
  all[0] = {.digest = "a", .names = {"1"}, .architecture = "arm64", .os = "linux"};
  all[1] = {.digest = "b", .names = {"1"}, .architecture = "amd64", .os = "linux"};
  all[2] = {.digest = "c", .names = {"2"}};
  CHECK(choose(all, "1", "amd64")->digest == "b");
  CHECK(choose(all, "1", "arm64")->digest == "a");
  CHECK_FALSE(choose(all, "1", "s390x"));
  CHECK(choose(all, "2", "s390x")->digest == "c");
  CHECK_FALSE(choose(all, "3", "amd64"));
  CHECK(choose(std::span(all).last(1), "", "amd64")->digest == "c");
  CHECK(choose(all, "sha256:c", "amd64")->digest == "c");
  all[0].names = {"sha256:dd", "x/sha256:dd"};  // a name that says it is a digest
  CHECK_FALSE(choose(all, "sha256:dd", "arm64"));
  all[2].names = {"latest"};
  CHECK(choose(all, "", "amd64")->digest == "c");
  CHECK_FALSE(choose(std::span<const Descriptor>(), "", "amd64"));
  CHECK(architecture_of("x86_64") == "amd64");
  CHECK(architecture_of("riscv64") == "riscv64");
}

}  // namespace
