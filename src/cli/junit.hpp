// `sbx run --junit`: a run as a test of the form that CI services read (JUnit's XML). Pure.
#pragma once

#include <string>
#include <string_view>

namespace sbx::cli {

/// One suite with one case, made of a result object (sbx.result/1): a failure when the command or a
/// limit ended the run badly, an error when sbx could not start it; what was refused, and the
/// output where the result has it. Empty when `result` is none.
std::string junit_of(std::string_view result);

}  // namespace sbx::cli
