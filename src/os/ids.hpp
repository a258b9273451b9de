// A user and a group, as files have them.
#pragma once

#include <sys/types.h>

namespace sbx::os {

struct Ids {
  uid_t uid = 0;
  gid_t gid = 0;
};

}  // namespace sbx::os
