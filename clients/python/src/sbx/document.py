"""Values of Python as YAML: JSON, which is a part of it but for one character."""
from __future__ import annotations

import json
from typing import Any, Optional


def yaml(value: Any, indent: Optional[int] = None) -> str:
    """The text that sbx reads as `value`. Raises ValueError for half of a surrogate pair, which no file can have."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        place = text[text.rfind("\n", 0, error.start) + 1:error.start].strip()
        raise ValueError(f"half of a surrogate pair, U+{ord(half):04X}, is no character: after {place}") from None
    return text.replace("\x7f", "\\u007f")  # a control character, which YAML has escaped and JSON need not have
