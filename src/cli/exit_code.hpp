// The exit codes that sbx itself decides on; a payload's own pass through. Pure.
#pragma once

namespace sbx::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 125;  ///< sbx failed; of `run`: and the payload never ran

}  // namespace sbx::cli
