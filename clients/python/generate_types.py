#!/usr/bin/env python3
"""Writes src/sbx/schema.py, the types of what sbx prints, from the schemas that sbx itself prints.

    generate_types.py SBX            writes the file
    generate_types.py SBX --check    writes nothing; ends with 1 when the file is not current
"""
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Dict, List, cast

TARGET = Path(__file__).resolve().parent / "src" / "sbx" / "schema.py"
HEAD = '''"""The types of what sbx prints, from `sbx schema`. Written by generate_types.py: do not edit.

Fields are only ever added, so there may be more than these. None: this host, or this run, did not measure it.
"""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
'''
WIDTH = 118
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def camel(key: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in key.split("_"))


def line_of(key: str, annotation: str, field: Dict[str, Any]) -> str:
    """One field; what the schema says of it stands behind it, or above where that is too long."""
    note = field.get("description", "")
    short = f"    {key}: {annotation}{'  # ' + note if note else ''}"
    if len(short) <= WIDTH:
        return short + "\n"
    above = textwrap.wrap(note, WIDTH, initial_indent="    # ", subsequent_indent="    # ")
    return "\n".join(above + wrapped(f"{key}: {annotation}")) + "\n"


def wrapped(line: str) -> List[str]:
    """A long line, broken inside of its brackets."""
    return textwrap.wrap(line, WIDTH, subsequent_indent="        ", break_on_hyphens=False, initial_indent="    ")


class Writer:
    """Collects the classes, each after those that it uses."""

    def __init__(self) -> None:
        self.classes: Dict[str, str] = {}

    def of(self, schema: Dict[str, Any], name: str) -> str:
        """The annotation for `schema`; makes a class named `name` where it is an object with fields."""
        if "$ref" in schema:
            return camel(schema["$ref"].rsplit("/", 1)[1])
        if "const" in schema or "enum" in schema:
            values = schema.get("enum", [schema.get("const")])
            return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        one = self.plain(next(kind for kind in kinds if kind != "null"), schema, name)
        return f"Optional[{one}]" if "null" in kinds else one

    def plain(self, kind: str, schema: Dict[str, Any], name: str) -> str:
        if kind == "array":
            return f"List[{self.of(schema['items'], name[:-1] if name.endswith('s') else name)}]"
        if kind == "object":
            return self.struct(schema, name) if "properties" in schema else "Dict[str, Any]"
        return SIMPLE[kind]

    def struct(self, schema: Dict[str, Any], name: str) -> str:
        """A TypedDict; optional fields are in a class below it, as Python 3.9 has no NotRequired."""
        required = schema.get("required", schema["properties"])
        always: List[str] = []
        sometimes: List[str] = []
        for key, field in schema["properties"].items():
            (always if key in required else sometimes).append(line_of(key, self.of(field, camel(key)), field))
        about = f'    """{schema["description"]}"""\n\n' if "description" in schema else ""
        if sometimes and always:
            text = (f"class {name}Always(TypedDict):\n{''.join(always)}\n\n"
                    f"class {name}({name}Always, total=False):\n{about}{''.join(sometimes)}")
        else:
            base = "TypedDict, total=False" if sometimes else "TypedDict"
            text = f"class {name}({base}):\n{about}{''.join(always or sometimes)}"
        if self.classes.setdefault(name, text) != text:
            raise SystemExit(f"generate_types: two different objects would be named {name}")
        return name

    def events(self, schema: Dict[str, Any]) -> None:
        """One class for each type of event, and their union."""
        names: List[str] = []
        for kind in schema["oneOf"]:
            types = kind["properties"]["type"]
            name = camel(types.get("const", "output")) + "Event"
            required = [*schema["required"], *kind.get("required", [])]
            fields = {**schema["properties"], **kind["properties"]}
            if "result" in fields:
                fields["result"] = {"$ref": "#/$defs/result_object"}
            self.struct({"required": required, "properties": fields}, name)
            names.append(name)
        self.classes["Event"] = "\n".join(wrapped(f"Event = Union[{', '.join(names)}]")).lstrip() + "\n"


def generate(sbx: str) -> str:
    """The text of the file, from what the binary `sbx` prints."""
    def schema(what: str) -> Dict[str, Any]:
        printed = subprocess.run([sbx, "schema", what], check=True, stdout=subprocess.PIPE).stdout
        return cast(Dict[str, Any], json.loads(printed))

    writer = Writer()
    result = schema("result")
    for key, definition in result["$defs"].items():
        writer.struct(definition, camel(key))
    writer.struct({**result, "description": result["title"]}, "ResultObject")
    writer.events(schema("event"))
    writer.of(schema("artifacts"), "KeptArtifacts")
    return HEAD + "".join(f"\n\n{text}" for text in writer.classes.values())


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    text = generate(sys.argv[1])
    if "--check" not in sys.argv:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        print(f"{TARGET.name} is not current; run {Path(__file__).name} {sys.argv[1]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
