#!/bin/bash
# ImageMagick: draw, resize, convert and compare.
set -euo pipefail
cd "$(mktemp -d)"
/usr/bin/convert -size 200x100 gradient:red-blue picture.png
/usr/bin/convert picture.png -resize 50% small.jpg
/usr/bin/identify -format '%m %wx%h\n' small.jpg
/usr/bin/convert small.jpg small.gif && /usr/bin/identify -format '%m\n' small.gif
/usr/bin/compare -metric AE picture.png picture.png null: 2>&1
