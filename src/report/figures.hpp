// Figures as people read them: "1.2 s", "34.5 MiB", "12,345". Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sbx::report {

/// Three significant digits and the unit; below 1 KiB the exact count.
std::string bytes_text(double bytes);
std::string bytes_text(std::uint64_t bytes);

/// "850 ms", "1.25 s", "2 min 5 s", "3 h 20 min", "2 d 4 h".
std::string time_text(double ms);

/// With commas between thousands.
std::string count_text(std::uint64_t count);

/// `count` and its noun: "1 file", "2 files".
std::string counted(std::uint64_t count, std::string_view noun);

/// At most `decimals` of them, none that are 0: "0.25", "3".
std::string number_text(double value, int decimals);

}  // namespace sbx::report
