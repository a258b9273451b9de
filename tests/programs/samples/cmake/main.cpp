#include <filesystem>
#include <future>
#include <iostream>
#include <map>
#include <string>

std::map<std::string, int> words(const std::string& text);

int main() {
  auto counted = std::async(std::launch::async, words, "a b a");
  try {
    std::filesystem::file_size("/nowhere");
  } catch (const std::filesystem::filesystem_error&) {
    std::cout << "a " << counted.get().at("a") << '\n';
    return 0;
  }
  return 1;
}
