"""A secret of a test: a value that is nowhere else, and all the forms in which it could be seen."""
import base64
import os
import re
import secrets
import urllib.parse


class Value:
    def __init__(self):
        self.text = f"v+{secrets.token_hex(12)}/{secrets.token_hex(4)}"
        raw = self.text.encode()
        shifted = {base64.b64encode(b"x" * n + raw)[4 if n else 0:-4] for n in range(3)}
        self.forms = {raw, raw.hex().encode(), raw.hex().upper().encode(), urllib.parse.quote(self.text, "").encode(),
                      *shifted, *(form.translate(bytes.maketrans(b"+/", b"-_")) for form in shifted)}

    def seen_in(self, data):
        return {form for form in self.forms if form in data}

    def pieces_in(self, data):
        """Four characters in a row, of the hexadecimal part that nothing else would have by chance."""
        body = self.text[2:26].encode()
        return {body[i:i + 8] for i in range(len(body) - 7) if body[i:i + 8] in data}


def files_with(value, folder):
    """Every file below `folder` that has the value, its name included."""
    found = []
    for top, folders, files in os.walk(folder):
        for name in [*files, *folders]:
            path = os.path.join(top, name)
            if value.seen_in(os.fsencode(name)):
                found.append(path)
            if os.path.isfile(path) and not os.path.islink(path) and value.seen_in(open(path, "rb").read()):
                found.append(path)
    return found


def masks_in(data):
    return len(re.findall(rb"\[redacted:\w+\]", data))
