#include "base/host_facts.hpp"

#include <algorithm>

#include "base/lexical_path.hpp"

namespace sbx {

std::string source_key(const HostFacts& facts, const std::string& source, const std::string& base) {
  if (base == facts.cwd || source.starts_with('/')) return source;
  return base + '\0' + source;  // no path has a null byte
}

bool is_home_or_above(const HostFacts& facts, const std::string& path) {
  if (path == "/") return true;
  if (facts.homes.empty()) return path.rfind('/') == 0;  // /home, /root, /var
  return std::ranges::any_of(facts.homes,
                             [&path](const std::string& home) { return is_below(home, path); });
}

}  // namespace sbx
