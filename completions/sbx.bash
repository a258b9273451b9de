# Completions of sbx for bash, written by completions/generate.py; change that instead.

_sbx_profiles() {
  local name rest
  sbx profiles ls 2>/dev/null | while read -r name rest; do printf '%s\n' "$name"; done
}

_sbx_runs() {
  local id name rest heads=
  sbx ps 2>/dev/null | while read -r id name rest; do
    if [[ -z $heads ]]; then
      heads="$id $name"
    else
      printf '%s\n' "$id"
      [[ $heads != "RUN NAME" || $name == - ]] || printf '%s\n' "$name"
    fi
  done
}

_sbx_kept() {
  local id rest
  sbx diff 2>/dev/null | while read -r id rest; do [[ $id == RUN ]] || printf '%s\n' "$id"; done
}

_sbx_value() {
  case $1 in
    --workspace) compgen -d -- "$2" ;;
    --git) compgen -W 'none protect' -- "$2" ;;
    --keep) compgen -W 'none diff apply' -- "$2" ;;
    --workdir) : ;;
    --root) compgen -W 'host empty' -- "$2"; compgen -d -- "$2" ;;
    --ro) compgen -f -- "$2" ;;
    --rw) compgen -f -- "$2" ;;
    --tmpfs) : ;;
    --file) : ;;
    --copy-in) compgen -f -- "$2" ;;
    --tool) compgen -W 'python3 node npm go cargo java gcc' -- "$2" ;;
    --mask) : ;;
    --device) compgen -W 'gpu kvm fuse net/tun mqueue' -- "$2" ;;
    --collect) : ;;
    --env) : ;;
    --env-file) compgen -f -- "$2" ;;
    --secret) : ;;
    --user) : ;;
    --hostname) : ;;
    --time-offset) : ;;
    --memory) compgen -W 'none' -- "$2" ;;
    --memory-high) compgen -W 'none' -- "$2" ;;
    --oom-kill) compgen -W 'process tree' -- "$2" ;;
    --swap) compgen -W 'none' -- "$2" ;;
    --pids) compgen -W 'none' -- "$2" ;;
    --cpus) compgen -W 'none' -- "$2" ;;
    --cpu-weight) compgen -W 'none' -- "$2" ;;
    --cpuset) compgen -W 'none' -- "$2" ;;
    --io-read-bps) compgen -W 'none' -- "$2" ;;
    --io-write-bps) compgen -W 'none' -- "$2" ;;
    --io-read-iops) compgen -W 'none' -- "$2" ;;
    --io-write-iops) compgen -W 'none' -- "$2" ;;
    --timeout) compgen -W 'none' -- "$2" ;;
    --cpu-time) compgen -W 'none' -- "$2" ;;
    --idle) compgen -W 'none' -- "$2" ;;
    --grace) : ;;
    --stdout-limit) compgen -W 'none' -- "$2" ;;
    --stderr-limit) compgen -W 'none' -- "$2" ;;
    --on-exceed) compgen -W 'truncate kill' -- "$2" ;;
    --rlimit) : ;;
    --net) compgen -W 'none host' -- "$2" ;;
    --allow) : ;;
    --publish) : ;;
    --seccomp-allow) : ;;
    --seccomp-deny) : ;;
    --on-deny) compgen -W 'errno kill log' -- "$2" ;;
    --cap) : ;;
    --landlock) compgen -W 'auto require off' -- "$2" ;;
    --degrade) compgen -W 'cgroup landlock userns idmap overlay' -- "$2" ;;
    --stdin) compgen -W 'inherit null' -- "$2"; compgen -f -- "$2" ;;
    --result) compgen -f -- "$2" ;;
    --events) compgen -f -- "$2" ;;
    --junit) compgen -f -- "$2" ;;
    --usage-interval) compgen -W 'none' -- "$2" ;;
    --log) compgen -f -- "$2" ;;
    --log-level) compgen -W 'debug info warn error' -- "$2" ;;
    --output|-o) compgen -f -- "$2" ;;
    --why) compgen -W 'path: host: syscall: env:' -- "$2" ;;
    --jobs|-j) : ;;
    --profile) : ;;
    --total-memory) : ;;
    --retry) : ;;
    --retry-on) compgen -W 'nonzero signal timeout cpu_limit idle_timeout oom output_limit disk_limit seccomp interrupted not_found not_executable setup_error internal_error' -- "$2" ;;
    --signal) compgen -W 'TERM INT HUP QUIT USR1 USR2 ABRT ALRM KILL' -- "$2" ;;
    --interval) : ;;
    --older-than) : ;;
    --max) : ;;
    --name) : ;;
    --pin) : ;;
    --set) : ;;
    *) return 1 ;;
  esac
  return 0
}

_sbx() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} i
  COMPREPLY=()
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'run batch explain learn check profiles doctor ps stats pause resume kill diff apply discard artifacts mcp schema completion help --help --version' -- "$cur")
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      elif ((COMP_CWORD == i + 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      fi
      return
    fi
  done
  if [[ $prev == -* ]] && mapfile -t COMPREPLY < <(_sbx_value "$prev" "$cur") &&
    _sbx_value "$prev" "$cur" >/dev/null; then
    # Neither a space behind it nor a backslash before the colon: something follows at once.
    [[ $prev == @(--why) ]] && compopt -o nospace +o filenames 2>/dev/null
    return 0
  fi
  case $verb in
    run)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--workspace --git --keep --workdir --root --ro --rw --tmpfs --file --copy-in --tool --mask --device --collect --env --env-file --secret --user --hostname --time-offset --memory --memory-high --oom-kill --swap --pids --cpus --cpu-weight --cpuset --io-read-bps --io-write-bps --io-read-iops --io-write-iops --timeout --cpu-time --idle --grace --stdout-limit --stderr-limit --on-exceed --rlimit --net --allow --publish --seccomp-allow --seccomp-deny --on-deny --cap --landlock --degrade --stdin --tty --no-tty --json --result --events --junit --ci --usage-interval --log --log-level --quiet --timing --dry-run --name --pin --set --help --' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_profiles)" -- "$cur"; compgen -f -- "$cur")
      fi
      ;;
    batch)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--workspace --git --keep --workdir --root --ro --rw --tmpfs --file --copy-in --tool --mask --device --collect --env --env-file --secret --user --hostname --time-offset --memory --memory-high --oom-kill --swap --pids --cpus --cpu-weight --cpuset --io-read-bps --io-write-bps --io-read-iops --io-write-iops --timeout --cpu-time --idle --grace --stdout-limit --stderr-limit --on-exceed --rlimit --net --allow --publish --seccomp-allow --seccomp-deny --on-deny --cap --landlock --degrade --log --log-level --quiet --output --dry-run --jobs --profile --total-memory --resume --retry --retry-on --fail-fast --set --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W 'FILE' -- "$cur")
      fi
      ;;
    explain)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--workspace --git --keep --workdir --root --ro --rw --tmpfs --file --copy-in --tool --mask --device --collect --env --env-file --secret --user --hostname --time-offset --memory --memory-high --oom-kill --swap --pids --cpus --cpu-weight --cpuset --io-read-bps --io-write-bps --io-read-iops --io-write-iops --timeout --cpu-time --idle --grace --stdout-limit --stderr-limit --on-exceed --rlimit --net --allow --publish --seccomp-allow --seccomp-deny --on-deny --cap --landlock --degrade --stdin --tty --no-tty --json --usage-interval --log --log-level --why --set --help --' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_profiles)" -- "$cur"; compgen -f -- "$cur")
      fi
      ;;
    learn)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--workspace --git --keep --workdir --root --ro --rw --tmpfs --file --copy-in --tool --mask --device --collect --env --env-file --secret --user --hostname --time-offset --memory --memory-high --oom-kill --swap --pids --cpus --cpu-weight --cpuset --io-read-bps --io-write-bps --io-read-iops --io-write-iops --timeout --cpu-time --idle --grace --stdout-limit --stderr-limit --on-exceed --rlimit --net --allow --publish --seccomp-allow --seccomp-deny --on-deny --cap --landlock --degrade --stdin --tty --no-tty --usage-interval --log --log-level --output --tight --set --help --' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_profiles)" -- "$cur"; compgen -f -- "$cur")
      fi
      ;;
    check)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_profiles)" -- "$cur"; compgen -f -- "$cur")
      fi
      ;;
    profiles)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$cur")
      elif [[ $prev == show ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_profiles)" -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W 'ls show' -- "$cur")
      fi
      ;;
    doctor)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--json --cgroup --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W '' -- "$cur")
      fi
      ;;
    ps)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W '' -- "$cur")
      fi
      ;;
    stats)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--json --watch --interval --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_runs)" -- "$cur")
      fi
      ;;
    pause)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_runs)" -- "$cur")
      fi
      ;;
    resume)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_runs)" -- "$cur")
      fi
      ;;
    kill)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--all --signal --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_runs)" -- "$cur")
      fi
      ;;
    diff)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--json --stat --patch --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_kept)" -- "$cur")
      fi
      ;;
    apply)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_kept)" -- "$cur")
      fi
      ;;
    discard)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--all --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_kept)" -- "$cur")
      fi
      ;;
    artifacts)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--json --output --dry-run --older-than --max --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W 'ls get show gc verify' -- "$cur")
      fi
      ;;
    mcp)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--workspace --git --keep --workdir --root --ro --rw --tmpfs --file --copy-in --tool --mask --device --collect --env --secret --user --hostname --time-offset --memory --memory-high --oom-kill --swap --pids --cpus --cpu-weight --cpuset --io-read-bps --io-write-bps --io-read-iops --io-write-iops --timeout --cpu-time --idle --grace --stdout-limit --stderr-limit --on-exceed --rlimit --net --allow --publish --seccomp-allow --seccomp-deny --on-deny --cap --landlock --degrade --log --log-level --set --help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_sbx_profiles)" -- "$cur"; compgen -f -- "$cur")
      fi
      ;;
    schema)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W 'profile result event live doctor changes artifacts job batch' -- "$cur")
      fi
      ;;
    completion)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help' -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur")
      fi
      ;;
    help)
      mapfile -t COMPREPLY < <(compgen -W 'run batch explain learn check profiles doctor ps stats pause resume kill diff apply discard artifacts mcp schema completion' -- "$cur")
      ;;
  esac
}
complete -o filenames -F _sbx sbx
