#include <map>
#include <sstream>
#include <string>

std::map<std::string, int> words(const std::string& text) {
  std::map<std::string, int> count;
  std::istringstream in(text);
  for (std::string word; in >> word;) ++count[word];
  return count;
}
