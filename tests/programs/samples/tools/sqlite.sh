#!/bin/bash
# The sqlite3 shell: a journal, a write-ahead log and two writers at once.
set -euo pipefail
cd "$(mktemp -d)"
sqlite3 base.db 'pragma journal_mode=wal; create table t(n);'
for writer in 1 2; do
  sqlite3 -cmd '.timeout 20000' base.db \
    "with recursive c(n) as (select 1 union all select n + 1 from c where n < 1000) insert into t select n from c;" &
done
wait
sqlite3 base.db 'select count(*), sum(n) from t; vacuum; pragma integrity_check;'
