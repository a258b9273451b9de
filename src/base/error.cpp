// How places and failures read to a person. Pure.
#include "base/error.hpp"

#include <cstring>

namespace sbx {

std::string errno_name(int error) {
  const char* name = ::strerrorname_np(error);  // glibc 2.32
  return name != nullptr ? std::string(name) : std::to_string(error);
}

std::string Origin::to_string() const {
  if (line == 0) return file;
  return file + ':' + std::to_string(line) + ':' + std::to_string(column);
}

std::string Error::to_string() const {
  std::string out;
  if (!where.empty()) out += where + ": ";
  out += what;
  if (sys_errno != 0) {
    out += ": ";
    out += ::strerrordesc_np(sys_errno) != nullptr ? ::strerrordesc_np(sys_errno) : "unknown error";
    out += " (" + errno_name(sys_errno) + ')';
  }
  if (!hint.empty()) out += "\n  " + hint;
  return out;
}

}  // namespace sbx
