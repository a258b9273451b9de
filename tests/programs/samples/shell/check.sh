# Sourced by the other scripts: a fresh folder to work in, and checks that name what went wrong.
set -euo pipefail
export LC_ALL=C
scratch=$(mktemp -d)
# A background child that is killed before its exec runs the trap as well: it is not the child's to run.
trap '[ "$BASHPID" != "$$" ] || rm -rf "$scratch"' EXIT
cd "$scratch"
count=0

# same WHAT WANTED GOT
same() {
  count=$((count + 1))
  [ "$2" = "$3" ] || { printf '%s: wanted "%s", got "%s"\n' "$1" "$2" "$3" >&2; exit 1; }
}

# works WHAT COMMAND... (what it prints is of no interest)
works() {
  local what=$1
  shift
  count=$((count + 1))
  "$@" >/dev/null || { printf '%s: "%s" gave %s\n' "$what" "$*" "$?" >&2; exit 1; }
}

# fails WHAT COMMAND...
fails() {
  local what=$1
  shift
  count=$((count + 1))
  if "$@" 2>/dev/null; then printf '%s: "%s" succeeded\n' "$what" "$*" >&2; exit 1; fi
}

finish() { echo "$count checks"; }
