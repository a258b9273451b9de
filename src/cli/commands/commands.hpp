// The verbs other than run. Each returns sbx's exit code: 0, or 125 with the reason on stderr.
#pragma once

#include "cli/arguments.hpp"
#include "supervise/clock.hpp"

namespace sbx::cli {

/// Also 1 when a job is not ok, and 128+n when signal n has ended it.
int batch_command(const Arguments& arguments);
/// `started`: when sbx did; a refusal as JSON says how long it took.
int explain_command(const Arguments& arguments, supervise::Nanos started);
int check_command(const Arguments& arguments);
int doctor_command(const Arguments& arguments);
int profiles_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int completion_command(const Arguments& arguments);
int ps_command(const Arguments& arguments);
int stats_command(const Arguments& arguments);
int pause_command(const Arguments& arguments);
int resume_command(const Arguments& arguments);
int kill_command(const Arguments& arguments);
int diff_command(const Arguments& arguments);
int apply_command(const Arguments& arguments);
int discard_command(const Arguments& arguments);
int artifacts_command(const Arguments& arguments);
int mcp_command(const Arguments& arguments);

/// For a missing or unknown operand of `verb`: says which there are, returns 125.
int wrong_operand(const Arguments& arguments);

}  // namespace sbx::cli
