#!/usr/bin/env python3
"""Writes a C++ source that holds files by name: embed.py OUTPUT FILE...

It defines sbx::cli::embedded(name), so that `sbx completion` needs no file at run time.
"""

import pathlib
import sys

HEAD = """// Made by completions/embed.py; do not edit.
#include "cli/embedded.hpp"

namespace sbx::cli {

std::string_view embedded(std::string_view name) {
"""


def literal(line):
    """One line of text as a C++ string literal."""
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main():
    output, *sources = sys.argv[1:]
    body = [HEAD]
    for source in map(pathlib.Path, sources):
        lines = source.read_text(encoding="ascii").splitlines(keepends=True)
        text = "\n".join("        " + literal(line) for line in lines)
        body.append(f'  if (name == "{source.name}")\n    return\n{text};\n')
    body.append("  return {};\n}\n\n}  // namespace sbx::cli\n")
    pathlib.Path(output).write_text("".join(body))


if __name__ == "__main__":
    main()
