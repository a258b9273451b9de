#!/usr/bin/env python3
"""Writes a C++ source that holds the built-in profiles: embed.py OUTPUT NAME.yaml...

The texts become one map from name to text, `sbx::profile::builtin_profiles()`, so that sbx needs no
file of its own at run time.
"""
import pathlib
import sys


def literal(text: bytes) -> str:
    """`text` as adjacent C++ string literals, one a line of the text."""
    lines = []
    for line in text.splitlines(keepends=True):
        out = ""
        for byte in line:
            char = chr(byte)
            if char in '"\\':
                out += "\\" + char
            elif char == "\n":
                out += "\\n"
            elif 0x20 <= byte < 0x7F:
                out += char
            else:
                out += f"\\{byte:03o}"
        lines.append(f'    "{out}"')
    return "\n".join(lines)


def main() -> int:
    output, *sources = sys.argv[1:]
    entries = []
    for source in sorted(sources, key=lambda path: pathlib.Path(path).stem):
        path = pathlib.Path(source)
        text = path.read_bytes()
        entries.append(f'  {{"{path.stem}", std::string_view{{\n{literal(text)}, {len(text)}}}}},')
    body = "\n".join(entries)
    pathlib.Path(output).write_text(
        "// Made by scripts/embed.py from profiles/*.yaml; do not edit.\n"
        '#include "profile/load.hpp"\n\n'
        "namespace sbx::profile {\n\n"
        "const std::map<std::string, std::string_view>& builtin_profiles() {\n"
        "  static const std::map<std::string, std::string_view> kProfiles{\n"
        f"{body}\n"
        "  };\n  return kProfiles;\n}\n\n"
        "}  // namespace sbx::profile\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
