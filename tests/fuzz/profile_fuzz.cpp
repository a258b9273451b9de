// libFuzzer target: any bytes as a profile, and what becomes of it as a plan. Nothing may crash or
// hang; a refusal always has its place; where the quick reader makes a tree, yaml-cpp makes the
// same one; and every plan keeps what plan_invariants.hpp says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "plan_invariants.hpp"
#include "profile/load.hpp"
#include "profile/quick_reader.hpp"
#include "profile/yaml_reader.hpp"
#include "profile/yaml_text.hpp"

namespace {

using namespace sbx;
using namespace sbx::profile;
using sbx::fuzz::require;

void compare_readers(const std::string& text) {
  Findings findings;
  if (!check_text("f", text, findings)) return;
  const std::optional<Node> quick = read_quickly("f", text);
  if (!quick) return;
  const std::optional<Node> full = parse_fully("f", text, findings);
  require(full.has_value() && findings.empty() && *quick == *full);
}

/// The text up to the mark is the profile, what follows is every file that it extends.
void load_text(const std::string& text) {
  constexpr std::string_view kMark = "\n#====\n";
  const std::size_t mark = text.find(kMark);
  const std::string first = text.substr(0, mark);
  const std::string other =
      mark == std::string::npos ? "version: 1\n" : text.substr(mark + kMark.size());
  const Reader read = [&](const std::string& name, const SourceText*) -> Result<SourceText> {
    if (name == "/p/x.yaml") return SourceText{name, "/p", first};
    return SourceText{name, "/q", other};
  };
  LoadRequest request{
      .name = "/p/x.yaml", .overrides = {}, .env = {{"HOME", "/home/u"}}, .cwd = "/cwd"};
  const auto loaded = load(request, read);
  if (loaded) {
    fuzz::build_everywhere(*loaded);
  } else {
    require(!loaded.error().empty());
    for (const Error& error : loaded.error()) require(!error.where.empty() && !error.what.empty());
  }
  // The first line once more, as what a flag might be given.
  request.overrides.push_back({"limits.memory", first.substr(0, first.find('\n')), "--memory"});
  static_cast<void>(load(request, read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  compare_readers(text);
  load_text(text);
  return 0;
}
