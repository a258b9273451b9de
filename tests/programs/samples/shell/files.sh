#!/bin/bash
# Files: making, changing, linking, copying, packing and finding them.
source "$(dirname "$0")/check.sh"

mkdir -p a/b/c && touch a/b/c/file
works mkdir test -d a/b/c
dd if=/dev/urandom of=random bs=64k count=16 status=none && same dd 1048576 "$(stat -c %s random)"
dd if=random of=sparse bs=1 count=1 seek=1M conv=sparse status=none && same seek 1048577 "$(stat -c %s sparse)"
truncate -s 5M big && same truncate 5242880 "$(stat -c %s big)"
works fallocate fallocate -l 1M space
cp -a a copy && works cp-a test -f copy/b/c/file
cp --reflink=auto random random2 && works cmp cmp random random2
works install install -m 0751 -D random bin/tool && same install-mode 751 "$(stat -c %a bin/tool)"
ln random hard && same hard-link 2 "$(stat -c %h random)"
ln -s random soft && same symlink random "$(readlink soft)" && works readlink-f test "$(readlink -f soft)" = "$PWD/random"
same realpath "$PWD/random" "$(realpath a/../random)"
chmod u=rw,go= random && same chmod 600 "$(stat -c %a random)"
umask 027 && touch masked && same umask 640 "$(stat -c %a masked)"
touch -d '2001-02-03 04:05:06 UTC' old && same touch 981173106 "$(stat -c %Y old)"
mv a moved && works mv test -f moved/b/c/file
works chown chown "$(id -u):$(id -g)" random
works chgrp chgrp "$(id -g)" random
same du "yes" "$([ "$(du -sk . | cut -f1)" -gt 1000 ] && echo yes)"
works df df -k .
works sync sync random
works tee bash -c 'echo x | tee t1 t2 >/dev/null && cmp t1 t2'
same file "POSIX" "$(echo '#!/bin/sh' | file -b - | cut -d' ' -f1)"

mkdir many && (cd many && seq 300 | xargs touch)
same find 300 "$(find many -type f | wc -l)"
same find-exec 300 "$(find many -type f -exec echo {} + | tr ' ' '\n' | wc -l)"
same find-newer 300 "$(find many -type f -newer old | wc -l)"
same xargs-P 300 "$(find many -type f -print0 | xargs -0 -P 4 -n 10 -I{} echo {} | sort -u | wc -l)"
find many -name '1*' -delete && same find-delete 189 "$(ls many | wc -l)"

tar -czf many.tgz many && mkdir out && tar -xzf many.tgz -C out && same tar-gz 189 "$(ls out/many | wc -l)"
tar -cJf many.txz many && same tar-xz 190 "$(tar -tJf many.txz | wc -l)"
tar -cjf many.tbz many && same tar-bzip2 190 "$(tar -tjf many.tbz | wc -l)"
gzip -k random && works gzip cmp random <(gunzip -c random.gz)
xz -kT2 random && works xz cmp random <(xz -dc random.xz)
zip -qr many.zip many && works unzip unzip -qt many.zip
cp sparse sparse.copy && shred -u sparse.copy && fails shred test -e sparse.copy
(exec 9>lock && flock -n 9 && ! flock -n lock true) && works flock test -f lock
rm -rf out copy && fails rm test -e out
finish
