// How places and failures read to a person. Pure.
#include "base/error.hpp"

#include <cstring>

namespace sbx {

std::string Origin::to_string() const {
  if (line == 0) return file;
  return file + ':' + std::to_string(line) + ':' + std::to_string(column);
}

std::string Error::to_string() const {
  std::string out;
  if (!where.empty()) out += where + ": ";
  out += what;
  if (sys_errno != 0) {
    // strerrorname_np (glibc 2.32) gives the constant that manual pages are searched by.
    const char* name = ::strerrorname_np(sys_errno);
    out += ": ";
    out += ::strerrordesc_np(sys_errno) != nullptr ? ::strerrordesc_np(sys_errno) : "unknown error";
    out += " (" + (name != nullptr ? std::string(name) : std::to_string(sys_errno)) + ')';
  }
  if (!hint.empty()) out += "\n  " + hint;
  return out;
}

}  // namespace sbx
