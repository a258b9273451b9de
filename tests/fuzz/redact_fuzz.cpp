// libFuzzer target: any bytes as a text with secrets in it, cut anywhere. However it is cut, the
// same bytes are masked as in the whole; a stream lets out three bytes of a secret at most.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "promise.hpp"
#include "redact/engine.hpp"
#include "redact/stream.hpp"

namespace {

using namespace sbx::redact;
using sbx::fuzz::require;

/// Fixed, so that what is found depends on the text; short and periodic, so that much is found.
const std::shared_ptr<const Matcher>& matcher() {
  static const std::vector<Needle> kNeedles{{"a", "abab"},
                                            {"b", "ababcd\"e"},
                                            {"c", "a+b c%41"},
                                            {"d", "-----BEGIN X-----\nMIIEabab\n"},
                                            {"e", "\\nab\n\xff{"}};
  static const std::vector<std::string> kPatterns{"all"};
  static const std::shared_ptr<const Matcher> kMatcher = *build_matcher(kNeedles, kPatterns);
  return kMatcher;
}

/// `streamed` is `whole` with three bytes at most before a mask.
void require_like(std::string_view whole, std::string_view streamed) {
  constexpr std::string_view kMask = "[redacted:";
  while (!whole.empty()) {
    if (whole.starts_with(kMask)) {
      for (int shown = 0; shown < 3 && !streamed.starts_with(kMask); ++shown)
        streamed.remove_prefix(std::min<std::size_t>(1, streamed.size()));
      require(streamed.starts_with(kMask));
    }
    require(!streamed.empty() && whole[0] == streamed[0]);
    whole.remove_prefix(1);
    streamed.remove_prefix(1);
  }
  require(streamed.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view cuts = input.substr(0, 4);
  const std::string_view text = input.substr(cuts.size());
  if (text.empty() || text.find("[redacted:") != std::string_view::npos) return 0;

  Counts counts;
  const std::string whole = redact_text(*matcher(), text, counts);
  Engine engine(*matcher());
  std::string same;
  sbx::fuzz::in_pieces(text, cuts, [&](std::string_view piece) { engine.feed(piece, 0, same); });
  engine.finish(same);
  require(same == whole);

  Stream stream(matcher());
  std::string streamed;
  sbx::fuzz::in_pieces(text, cuts, [&](std::string_view piece) { stream.feed(piece, streamed); });
  stream.finish(streamed);
  require_like(whole, streamed);
  require(stream.counts() == counts);
  return 0;
}
