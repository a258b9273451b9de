#!/bin/bash
# A command in a Debian of its own, as on a machine that has just been installed: `enter.sh ROOT CCACHE COMMAND...`. All
# its mounts are in a namespace of this command alone. No chroot, in which sbx would find no user namespaces.
set -euo pipefail
if [ -z "${SBX_WALK_INSIDE:-}" ]; then
  SBX_WALK_INSIDE=1 exec unshare --mount --pid --uts --ipc --fork --kill-child --propagation private "$0" "$@"
fi
root=$1 ccache=$2
shift 2
hostname fresh
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs run
mkdir -p var/cache/ccache outside
mount --bind "$ccache" var/cache/ccache
pivot_root . outside
umount -l /outside
cd /
# What this checkout has compiled is found for the walk's clone, too: both pass relative paths, and Debian's compiler is
# the same file there, to the second.
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root TERM=dumb \
  CCACHE_DIR=/var/cache/ccache CCACHE_UMASK=000 "$@"
