// Nothing stays when this process dies without a word (SIGKILL, a crash, process.exit): Node cannot ask the kernel
// to end its children (PR_SET_PDEATHSIG), so a shell does it that waits for the end of its standard input, which
// comes with the end of this process. There is one for a process, started with its first run; it keeps nothing alive.
import { spawn } from "node:child_process";
import type { Socket } from "node:net";

import { needDescriptors } from "./descriptors.js";
import { SbxError } from "./errors.js";

// Told `+ PID`, `- PID` for runs and `d FOLDER`, `k FOLDER` for folders to remove or to keep. A process is known by
// its start time too (proc(5), field 22 of stat), lest another one that has its number by then be ended. A second
// signal to sbx ends the tree at once (sbx(1), SIGNALS), and sbx removes what it has made; then the folders go.
const SCRIPT = `
trap '' INT TERM HUP QUIT
nl='
'
runs= folders=
look() {
  start=
  { read -r line </proc/"$1"/stat; } 2>/dev/null || return
  set -- \${line##*) }
  [ "$1" = Z ] || start=\${20}
}
while read -r word rest; do
  case $word in
    +) look "$rest"; runs="$runs $rest:$start" ;;
    -) kept=; for run in $runs; do [ "\${run%%:*}" = "$rest" ] || kept="$kept $run"; done; runs=$kept ;;
    d) folders="$folders$rest$nl" ;;
    k) case $nl$folders in *"$nl$rest$nl"*)
         before=\${folders%%"$rest$nl"*} folders=$before\${folders#*"$rest$nl"} ;; esac ;;
  esac
done
is() { look "\${1%%:*}"; [ -n "$start" ] && [ "$start" = "\${1#*:}" ]; }
for signal in TERM INT; do
  for run in $runs; do if is "$run"; then kill -s $signal "\${run%%:*}" 2>/dev/null; fi; done
done
tries=0
for run in $runs; do
  while is "$run"; do
    tries=$((tries + 1))
    if [ $tries -gt 200 ]; then kill -s KILL "\${run%%:*}" 2>/dev/null; break; fi
    sleep 0.05
  done
done
printf %s "$folders" | while read -r folder; do
  rm -rf -- "$folder" 2>/dev/null || { chmod -R u+rwx -- "$folder"; rm -rf -- "$folder"; } 2>/dev/null
done
`;

let guard: Socket | undefined;

// What the next guard is told first, should this one be killed; and whom to tell should there be none.
const told = new Map<string, (error: SbxError) => void>();

// So often in a row a guard is replaced that nothing new was told.
const MOST_REPLACED = 3;
let replaced = 0;

const unguarded = (cause: Error): SbxError =>
  new SbxError(`nobody would clean up if this process died: ${cause.message}`, { cause });

/** Starts one. Returns its standard input. */
function started(): Socket {
  needDescriptors(1);
  // A session of its own: Ctrl-C at the terminal is for us, not for it.
  const child = spawn("/bin/sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/" });
  const stdin = child.stdin as Socket | undefined;  // none where another thread takes the last descriptor
  const forget = (): void => {
    if (guard !== stdin || stdin === undefined) return;
    guard = undefined;
    if (told.size > 0) replace();
  };
  child.on("error", forget).on("exit", forget).unref();
  stdin?.on("error", forget).unref();
  if (child.pid === undefined || stdin === undefined)
    throw new Error("/bin/sh cannot be started");
  return stdin;
}

/** Starts one that knows what there is. */
function startAnew(): void {
  guard = started();
  guard.write([...told.keys()].join(""));
}

/** Of one that has died: what it was told last it may not have heard. */
function replace(): void {
  try {
    if ((replaced += 1) > MOST_REPLACED) throw new Error("/bin/sh ends again and again");
    startAnew();
  } catch (cause) {
    for (const lost of [...told.values()]) lost(unguarded(cause as Error));
  }
}

/**
 * Tells the guard, which is started when there is none, of something. Returns what to call to tell it the end.
 * @param lost called when nobody can look after it any more
 */
function tell(begin: string, end: string, lost: (error: SbxError) => void): () => void {
  told.set(begin, lost);
  replaced = 0;
  try {
    if (guard === undefined || guard.destroyed) startAnew();
    else guard.write(begin);
  } catch (cause) {
    told.delete(begin);
    throw unguarded(cause as Error);
  }
  return () => {
    told.delete(begin);
    guard?.write(end);
  };
}

/**
 * A run that must not outlive this process. Returns a function to call when it has ended.
 * @param lost called when nobody can look after it any more
 * @throws SbxError when nobody can look after it
 */
export function guardRun(pid: number, lost: (error: SbxError) => void): () => void {
  return tell(`+ ${pid}\n`, `- ${pid}\n`, lost);
}

/**
 * A folder that must not outlive this process. Returns a function to call when it is gone.
 * @throws SbxError when nobody can look after it
 */
export function guardFolder(path: string): () => void {
  return tell(`d ${path}\n`, `k ${path}\n`, () => undefined);  // the next run or folder says so
}
