#include "cli/line.hpp"

namespace sbx::cli {

std::string_view flag_name(std::string_view word) { return word.substr(0, word.find('=')); }

Error usage_error(std::string what, std::string hint) {
  return {ErrorKind::usage, std::move(what), {}, std::move(hint)};
}

std::string usage_hint(const VerbSpec& verb) { return "usage: sbx " + std::string(verb.synopsis); }

std::optional<Line> read_plain_line(const VerbSpec& verb, const std::vector<std::string>& words) {
  Line line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) {
      line.words.push_back(word);
      continue;
    }
    const std::string_view name = flag_name(word);
    const OptionSpec* option = find_option(verb, name);
    const bool bare = name.size() == word.size();
    if (option == nullptr) return std::nullopt;
    if (!word.starts_with("--") && word.size() > 2) return std::nullopt;  // -j4
    if (option->argument.empty()) {
      if (!bare) return std::nullopt;
      line.flags.push_back({option, "true"});
    } else if (!bare && name.size() + 1 < word.size()) {
      line.flags.push_back({option, word.substr(name.size() + 1)});
    } else if (const std::size_t next = i + 1;
               bare && next < words.size() && !words[next].starts_with('-')) {
      line.flags.push_back({option, words[next]});
      i = next;
    } else {
      return std::nullopt;
    }
  }
  return line;
}

}  // namespace sbx::cli
