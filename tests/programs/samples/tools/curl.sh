#!/bin/bash
# curl against a web server, both inside.
set -euo pipefail
folder=$(mktemp -d)
: >"$folder/log"
head -c 3000000 /dev/urandom >"$folder/data"
python3 -u -m http.server --bind 127.0.0.1 --directory "$folder" 0 >"$folder/log" 2>&1 &
server=$!
port=
until [ -n "$port" ]; do port=$(sed -n 's/.*port \([0-9]*\) .*/\1/p' "$folder/log"); sleep 0.05; done
curl -sS "http://127.0.0.1:$port/data" | cmp - "$folder/data"
curl -sS -o /dev/null -w '%{http_code}\n' "http://localhost:$port/nothing"
kill "$server"
curl -sS --max-time 5 http://192.0.2.1/ 2>/dev/null || echo "outside: refused"
