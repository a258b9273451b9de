#!/bin/bash
# A detached tmux session: a server, a socket and a terminal of its own.
set -euo pipefail
socket=$(mktemp -d)/tmux
out=$(mktemp)
tmux -S "$socket" -f /dev/null new-session -d -x 80 -y 24 "echo from inside tmux; tty; tmux -S '$socket' wait-for -S shown; sleep 60"
tmux -S "$socket" wait-for shown
tmux -S "$socket" capture-pane -p >"$out"
tmux -S "$socket" kill-server
cat "$out"
grep -q /dev/pts/ "$out"
