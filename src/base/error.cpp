// How places and failures read to a person. Pure.
#include "base/error.hpp"

#include <cstring>
#include <string_view>

#include "base/text.hpp"

namespace sbx {

std::string errno_name(int error) {
  const char* name = ::strerrorname_np(error);  // glibc 2.32
  return name != nullptr ? std::string(name) : std::to_string(error);
}

std::string Origin::to_string() const {
  std::string name = printable(file, std::string_view::npos);
  if (line == 0) return name;
  return name + ':' + std::to_string(line) + ':' + std::to_string(column);
}

namespace {

std::string first_line(const Error& error) {
  std::string out;
  if (!error.where.empty()) out += error.where + ": ";
  out += error.what;
  if (error.sys_errno != 0) {
    out += ": ";
    out += ::strerrordesc_np(error.sys_errno) != nullptr ? ::strerrordesc_np(error.sys_errno)
                                                         : "unknown error";
    out += " (" + errno_name(error.sys_errno) + ')';
  }
  return out;
}

}  // namespace

std::string Error::to_string() const {
  std::string out = first_line(*this);
  if (!cause.empty()) out += "\n  because " + cause;
  if (!hint.empty()) out += "\n  " + hint;
  return out;
}

std::string Error::to_line() const {
  std::string out = first_line(*this);
  if (!cause.empty()) out += "; because " + cause;
  if (!hint.empty()) out += "; " + hint;
  return out;
}

}  // namespace sbx
