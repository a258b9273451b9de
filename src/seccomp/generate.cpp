// Run by the build, not by users: compiles the policies of the built-in profiles, checks each
// against libseccomp's program for it, and writes them as C++ to the file named by its argument.
// Two compilers that do not agree fail the build.
#include <cstdio>
#include <string>
#include <vector>

#include "seccomp/layout.hpp"
#include "seccomp/precompiled.hpp"
#include "seccomp/reference.hpp"

namespace sbx::seccomp {
namespace {

const char* mode_name(OnDeny mode) {
  switch (mode) {
    case OnDeny::fail:
      return "fail";
    case OnDeny::kill:
      return "kill";
    case OnDeny::log:
      return "log";
  }
  return "";
}

Result<void> check_against_libseccomp(const Policy& policy,
                                      const std::vector<sock_filter>& program) {
  const std::vector<std::string> found = SBX_TRY(differences(policy, program));
  if (found.empty()) return {};
  return std::unexpected(Error{ErrorKind::internal, "libseccomp disagrees: " + found.front()});
}

/// The array of one mode's program.
Result<std::string> array_text(OnDeny mode) {
  const Policy policy = SBX_TRY(build_policy(precompiled_request(mode)));
  const std::vector<sock_filter> program = SBX_TRY(layout(policy));
  SBX_CHECK(check_against_libseccomp(policy, program));
  std::string text = std::string("constexpr sock_filter kProgram_") + mode_name(mode) + "[] = {\n";
  for (const sock_filter& instruction : program) {
    text += '{' + std::to_string(instruction.code) + ", " + std::to_string(instruction.jt) + ", " +
            std::to_string(instruction.jf) + ", " + std::to_string(instruction.k) + "U},\n";
  }
  return text + "};\n";
}

Result<std::string> source_text() {
  std::string arrays;
  std::string rows;
  for (const OnDeny mode : kPrecompiledModes) {
    const std::string name = mode_name(mode);
    arrays += SBX_TRY(array_text(mode));
    rows.append("{OnDeny::").append(name).append(", kProgram_").append(name).append("},\n");
  }
  return "// Written by generate.cpp at build time.\n"
         "#include \"seccomp/precompiled.hpp\"\n"
         "namespace sbx::seccomp {\nnamespace {\n" +
         arrays + "constexpr Precompiled kPrograms[] = {\n" + rows +
         "};\n}  // namespace\n"
         "std::span<const Precompiled> precompiled() { return kPrograms; }\n"
         "}  // namespace sbx::seccomp\n";
}

bool write_file(const char* path, const std::string& text) {
  std::FILE* out = std::fopen(path, "we");
  if (out == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && written;
}

}  // namespace
}  // namespace sbx::seccomp

int main(int argc, char** argv) {
  if (argc != 2) {
    (void)std::fputs("usage: sbx-generate-filters OUTPUT.cpp\n", stderr);
    return 1;
  }
  const auto text = sbx::seccomp::source_text();
  if (!text) {
    (void)std::fprintf(stderr, "%s\n", text.error().to_string().c_str());
    return 1;
  }
  if (!sbx::seccomp::write_file(argv[1], *text)) {
    std::perror(argv[1]);
    return 1;
  }
  return 0;
}
