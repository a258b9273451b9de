#!/bin/bash
# Coreutils and their friends on text.
source "$(dirname "$0")/check.sh"

seq 1 2000 | shuf --random-source=<(yes) >numbers
same sort "1 2000" "$(sort -n numbers | sed -n '1p;$p' | xargs)"
same sort-parallel "$(seq 2000 | md5sum)" "$(sort --parallel=2 -S 1M -n numbers | md5sum)"
same uniq "3 a" "$(printf 'a\na\nb\na\n' | sort | uniq -c | awk '$2 == "a" {print $1, $2}')"
same wc "2000" "$(wc -l <numbers | tr -d ' ')"
same cut "b:d" "$(echo a:b:c:d | cut -d: -f2,4)"
same tr "HELLO" "$(echo hello | tr a-z A-Z)"
same paste "1,2,3" "$(seq 3 | paste -sd,)"
same join "1 a x" "$(join <(echo 1 a) <(echo 1 x))"
same comm "b" "$(comm -12 <(printf 'a\nb\n') <(printf 'b\nc\n'))"
same fold "ab" "$(echo abcd | fold -w2 | head -1)"
same tac "3" "$(seq 3 | tac | head -1)"
same nl "     1	x" "$(echo x | nl)"
same expand "a       b" "$(printf 'a\tb\n' | expand)"
same numfmt "1.0K" "$(numfmt --to=iec 1024)"
same factor "42: 2 3 7" "$(factor 42)"
same tsort "a b" "$(echo a b | tsort | xargs)"
same base64 "hello" "$(echo hello | base64 | base64 -d)"
same od "61" "$(printf a | od -An -tx1 | tr -d ' ')"
same printf "007 x" "$(/usr/bin/printf '%03d %s' 7 x)"
same expr "7" "$(expr 3 + 4)"
same bc "6" "$(echo '2 * 3' | bc)"
same sha256sum "e3b0c44298fc1c14" "$(sha256sum </dev/null | cut -c1-16)"
sha256sum numbers >sums && works sha256sum-check sha256sum --quiet -c sums
same cksum "3015617425 6" "$(echo hello | cksum)"
same b2sum "128" "$(echo | b2sum | cut -d' ' -f1 | tr -d '\n' | wc -c)"
split -l 500 numbers part. && same split "4" "$(ls part.* | wc -l)"
same split-join "$(md5sum <numbers)" "$(cat part.* | md5sum)"
csplit -s numbers 1001 && same csplit "1000" "$(wc -l <xx00)"
same head-tail "11" "$(seq 20 | head -n -9 | tail -1)"
same awk "2001000" "$(awk '{s += $1} END {print s}' numbers)"
same sed "x-1 x-2" "$(seq 2 | sed -E 's/([0-9])/x-\1/' | xargs)"
echo one >file && sed -i s/one/two/ file && same sed-i two "$(cat file)"
mkdir -p tree/a/b && echo needle >tree/a/b/hay && echo straw >tree/a/hay
same grep-r "tree/a/b/hay" "$(grep -rl needle tree)"
same grep-P "12" "$(echo ab12 | grep -oP '(?<=b)\d+')"
same diff "2c2" "$(diff <(printf 'a\nb\n') <(printf 'a\nc\n') | head -1 || true)"
diff -u <(echo a) <(echo b) >change || true
same patch-format "@@ -1 +1 @@" "$(sed -n 3p change)"
same date "1970-01-01T00:00:00" "$(date -u -d @0 +%FT%T)"
works locale env LANG=C.UTF-8 true
finish
