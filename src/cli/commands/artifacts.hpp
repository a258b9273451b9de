// The parts of `sbx artifacts`, each in a file of its own. Each returns sbx's exit code.
#pragma once

#include "cli/arguments.hpp"

namespace sbx::cli {

int artifacts_ls(const Arguments& arguments);
int artifacts_get(const Arguments& arguments);
int artifacts_show(const Arguments& arguments);
int artifacts_gc(const Arguments& arguments);
int artifacts_verify(const Arguments& arguments);

}  // namespace sbx::cli
