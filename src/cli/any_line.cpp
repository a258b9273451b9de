// CLI11 is known to this file only.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "base/late_start.hpp"
#include "base/text.hpp"
#include "cli/line.hpp"

namespace sbx::cli {
namespace {

/// One CLI11 parser with just the flags that the line names: telling it of all sixty takes 0.2 ms,
/// of three 0.02 ms, and the others can only be misspelt, which the table answers better.
class Parser {
 public:
  Parser(const VerbSpec& verb, const std::vector<std::string>& words) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const std::string& word : words) {
      const OptionSpec* option = find_option(verb, flag_name(word));
      if (option == nullptr || std::ranges::find(specs_, option, &Named::second) != specs_.end())
        continue;
      std::string names(option->name);
      if (names == "--help") names = "-h,--help";
      if (names == "--output") names = "-o,--output";
      if (names == "--jobs") names = "-j,--jobs";
      CLI::Option* made = option->argument.empty() ? app_.add_flag(names)->disable_flag_override()
                                                   : app_.add_option(names)->expected(1);
      made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
      specs_.emplace_back(made, option);
    }
  }

  /// Throws CLI::ParseError.
  void parse(std::vector<std::string> words) {
    std::ranges::reverse(words);  // CLI11 takes the words from the back
    app_.parse(std::move(words));
  }

  [[nodiscard]] Line line() const {
    Line line;
    std::map<const CLI::Option*, std::size_t> taken;
    for (const CLI::Option* seen : app_.parse_order()) {
      const auto named = std::ranges::find(specs_, seen, &Named::first);
      if (named != specs_.end())
        line.flags.push_back({named->second, seen->results().at(taken[seen]++)});
    }
    line.words = app_.remaining();
    return line;
  }

 private:
  using Named = std::pair<const CLI::Option*, const OptionSpec*>;
  CLI::App app_;
  std::vector<Named> specs_;
};

}  // namespace

Result<Line> read_any_line(const VerbSpec& verb, const std::vector<std::string>& words) {
  start_libraries();
  try {
    Parser parser(verb, words);
    parser.parse(words);
    return parser.line();
  } catch (const CLI::ParseError& error) {
    return std::unexpected(usage_error(printable(error.what()), usage_hint(verb)));
  }
}

}  // namespace sbx::cli
