"""A real browser without a window: what it makes of a page, as elements, as figures and as pixels."""
import html
import json
import os
import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

# Run by a script of the test's own, around the page: it looks in from outside.
LOOK = """<!DOCTYPE html><body style="margin:0"><iframe id="page" src="{page}" width="{width}" height="4000"
 style="border:0"></iframe><pre id="seen"></pre><script>
page.onload = () => {{
  const inner = page.contentDocument, box = e => {{
    const r = e.getBoundingClientRect();
    return {{x: r.x, y: r.y, width: r.width, height: r.height, pixels: e.naturalWidth || 0}};
  }};
  const boxes = {{}};
  for (const name of {selectors}) boxes[name] = [...inner.querySelectorAll(name)].map(box);
  seen.textContent = JSON.stringify({{
    width: inner.documentElement.scrollWidth, title: inner.title, boxes}});
}};
</script>"""


class Listener:
    """Whoever asks it for something is remembered."""

    def __init__(self):
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Pixels:
    """A screenshot, row by row."""

    def __init__(self, png):
        size = subprocess.run(["identify", "-format", "%w %h", png], check=True, capture_output=True, text=True).stdout
        self.width, self.height = map(int, size.split())
        self.bytes = subprocess.run(["convert", png, "-alpha", "off", "-depth", "8", "rgb:-"], check=True,
                                    capture_output=True).stdout

    def count(self, colour, box=None, near=2):
        """How many pixels of `box` have this colour, or nearly."""
        return sum(count for _, count in self.rows(colour, box, near))

    def rows(self, colour, box=None, near=2):
        """(y, how many) of the rows of `box` that have any."""
        wanted = bytes.fromhex(colour)
        left, top, width, height = self._inside(box)
        found = []
        for y in range(top, top + height):
            row = self.bytes[(y * self.width + left) * 3:(y * self.width + left + width) * 3]
            count = sum(1 for red, green, blue in zip(row[::3], row[1::3], row[2::3])
                        if abs(red - wanted[0]) <= near and abs(green - wanted[1]) <= near
                        and abs(blue - wanted[2]) <= near)
            if count:
                found.append((y, count))
        return found

    def _inside(self, box):
        if not box:
            return 0, 0, self.width, self.height
        left, top = max(0, int(box["x"])), max(0, int(box["y"]))
        return (left, top, min(int(box["width"]) + 1, self.width - left),
                min(int(box["height"]) + 1, self.height - top))


class Browser:
    def __init__(self, folder):
        self.folder = folder
        self.program = shutil.which("chromium")
        if not self.program:
            pytest.fail("chromium is not there: scripts/setup test installs it", pytrace=False)

    def look(self, page, width=1000, selectors=()):
        """The page in a frame that wide: its title, how wide it is, where the elements are."""
        around = page.with_name(f"around-{page.name}")
        around.write_text(LOOK.format(page=page.name, width=width, selectors=json.dumps(list(selectors))))
        dom = self.dom(around)
        return json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S).group(1)))

    def dom(self, page):
        """The document as the browser has it once nothing more happens."""
        return self._run(page, "--dump-dom").decode()

    def picture(self, page, width=1000, height=4000, dark=False):
        target = self.folder / f"{page.stem}{'-dark' if dark else ''}.png"
        scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
        self._run(page, f"--screenshot={target}", f"--window-size={width},{height}", *scheme)
        return Pixels(target)

    def _run(self, page, *flags):
        profile = self.folder / "profile"
        # Its own sandbox needs what a test host may not give; the pages are ours.
        command = [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--allow-file-access-from-files", "--virtual-time-budget=3000", f"--user-data-dir={profile}",
                   *flags, Path(page).resolve().as_uri()]
        environment = os.environ | {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
                                    "XDG_CACHE_HOME": str(self.folder / "cache"), "TMPDIR": str(self.folder)}
        done = subprocess.run(command, capture_output=True, timeout=120, env=environment)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout
