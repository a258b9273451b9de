#!/bin/bash
# Processes, signals, pipes and terminals as shells use them.
source "$(dirname "$0")/check.sh"

mkfifo pipe && { echo through >pipe & }
same mkfifo through "$(cat pipe)"
same timeout 124 "$(timeout 0.2 sleep 20 || echo $?)"
same timeout-kill 137 "$(timeout -s KILL 0.2 sleep 20 2>/dev/null || echo $?)"
sleep 100 & victim=$!
until grep -q sleep "/proc/$victim/comm"; do :; done  # until then it is a bash, which may catch the signal
kill "$victim"
ended=0
wait "$victim" || ended=$?
same kill 143 "$ended"
same trap caught "$(bash -c 'trap "echo caught; exit" USR1; kill -USR1 $$; sleep 5')"
same nice 5 "$(nice -n 5 nice)"
same nohup x "$(nohup echo x 2>/dev/null)"
works nproc test "$(nproc)" -ge 1
same env "" "$(env -i /usr/bin/env)"
same jobs 10 "$(for i in $(seq 10); do (echo "$i") & done | wc -l; wait)"
coproc CAT { cat; }
cat_pid=$CAT_PID  # bash unsets it as soon as it sees the end
echo hi >&"${CAT[1]}" && read -rt 10 line <&"${CAT[0]}"
same coproc hi "$line"
eval "exec ${CAT[1]}>&-"
wait "$cat_pid"
same here-string abc "$(cat <<<abc)"
same substitution 3 "$(wc -l < <(seq 3))"
same pipestatus "1 0" "$(false | true; echo "${PIPESTATUS[@]}")"
same arithmetic 1024 "$((2 ** 10))"
declare -A map=([a]=1 [b]=2) && same arrays 2 "${map[b]}"
same read-timeout 142 "$(read -rt 0.1 _ < <(sleep 1) || echo $?)"
same setsid "ok" "$(setsid -w echo ok)"
same own-pid "$$" "$(readlink /proc/$$/task/$$ >/dev/null 2>&1; ps -o pid= -p $$ | tr -d ' ')"
works ps-sees-init ps -p 1
same stdbuf x "$(echo x | stdbuf -oL cat)"
same getconf 4096 "$(getconf PAGESIZE)"
works id id -u
works whoami whoami
same user-name "$(id -u)" "$(id -u "$(whoami)")"
same host-name "$(cat /proc/sys/kernel/hostname)" "$(hostname)"
works uname uname -a
works ulimit test "$(ulimit -c)" = 0
works script bash -c 'script -qec "tty" /dev/null | grep -q /dev/pts/'
works dash sh -c 'x=${y:-1}; [ "$x" = 1 ]'
finish
