// An artifact's place on the page. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/report.hpp"

namespace sbx::report {

/// The list of all artifacts, with links to their cards.
std::string contents_of(const std::vector<Artifact>& artifacts);

/// Its card. `left`: how many bytes of pictures the page may still take; what is taken is taken
/// off.
std::string card_of(const Report& report, std::size_t index, const std::string& run,
                    std::uint64_t& left);

}  // namespace sbx::report
