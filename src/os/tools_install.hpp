// Which files belong to an installed program: the narrowest set that lets it run.
#pragma once

#include <string>

#include "base/host_facts.hpp"

namespace sbx::os {

/// Adds to `tool` what has to show for the canonical or linked `program` to run: its installation,
/// its virtual environment with the base of that, its script's interpreter, and the links between
/// them. `on_path`: the program's folder goes into `tool.path` when PATH inside would not find it.
/// Where a file in the caller's folder, or in one that the profile shows, leads elsewhere than to
/// the host's own programs, into the same folder or to a Python installation, nothing is shown and
/// `tool.problem` says why.
void expose_program(const std::string& program, bool on_path, const HostFacts& facts,
                    ToolInstallation& tool);

/// The folder to show for the canonical `program`: an installation's prefix, or the file itself
/// when that would be the home folder, something above it, or something that is no installation.
std::string installation_of(const std::string& program, const HostFacts& facts);

/// Whether `path` is part of what a host root shows anyway (/usr, /bin, /lib ...).
bool host_root_shows(std::string_view path);

}  // namespace sbx::os
