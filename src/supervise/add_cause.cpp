#include "supervise/add_cause.hpp"

#include <cerrno>

#include "diagnose/causes.hpp"
#include "os/surroundings.hpp"

namespace sbx::supervise {

void add_cause(Error& error, bool bare) {
  // Of a profile it is the host's fault alone when nothing at all could be opened.
  const bool of_host =
      error.kind == ErrorKind::host || error.kind == ErrorKind::setup || error.sys_errno == EMFILE;
  if (of_host && error.cause.empty()) diagnose::add_cause(error, os::look_around(), bare);
}

}  // namespace sbx::supervise
