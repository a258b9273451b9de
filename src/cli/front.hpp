// The whole program behind main(): tells the verbs apart and runs one.
#pragma once

#include "cli/commands/run.hpp"

namespace sbx::cli {

/// Returns the exit code. Lets exceptions out (allocation only): main answers them with 125.
int front(int argc, char** argv, const EditPlan& edit_plan = {});

}  // namespace sbx::cli
