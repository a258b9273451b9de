#!/usr/bin/env python3
"""Runs a command in cgroups of its own, as root or, with --user, as an ordinary user to whom they
belong, which is what a service manager's delegation gives. Removes them afterwards. For root only.

    delegate.py [--user NAME | --owner UID] [--env NAME=VALUE]... -- COMMAND [ARG...]

With --owner the cgroups belong to that user, who need not be one of this host's, and the command stays root's.
"""
import argparse
import ctypes
import os
import pwd
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import cgroups  # noqa: E402  (found only after the line above)

PR_SET_PDEATHSIG = 1
# All that an ordinary user's tests need of the caller's environment; the rest names places of root's.
KEPT = ("LANG", "TERM", "PYTHONDONTWRITEBYTECODE")


def become(account):
    """Gives up root for good: groups, gid, uid, then what the environment says of us."""
    os.initgroups(account.pw_name, account.pw_gid)
    os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    old = dict(os.environ)
    os.environ.clear()
    os.environ.update({name: old[name] for name in old if name in KEPT or name.startswith("SBX_")})
    path = [p for p in old.get("PATH", "").split(":") if p and os.access(p, os.X_OK)]
    path += [p for p in ("/usr/local/bin", "/usr/bin", "/bin") if p not in path]
    os.environ.update(HOME=account.pw_dir, USER=account.pw_name, LOGNAME=account.pw_name,
                      SHELL="/bin/bash", PATH=":".join(dict.fromkeys(path)))


def run_child(args, testbed):
    testbed.enter()
    # Whoever starts us in the background may have these ignored, and an exec keeps that (signal(7)).
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)
    if args.user:
        become(pwd.getpwnam(args.user))
    for pair in args.env:
        name, _, value = pair.partition("=")
        os.environ[name] = value
    # After the change of user, which clears it.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.execvp(args.command[0], args.command)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--user")
    parser.add_argument("--owner", type=int, default=0)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    account = pwd.getpwnam(args.user) if args.user else None
    testbed = cgroups.Testbed(*((account.pw_uid, account.pw_gid) if account else (args.owner, args.owner)))
    try:
        child = os.fork()
        if child == 0:
            try:
                run_child(args, testbed)
            except BaseException as error:  # the child must not go on as a second parent
                print(f"delegate.py: {args.command[0]}: {error}", file=sys.stderr, flush=True)
            os._exit(125)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the child as well
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda n, _: os.kill(child, n))
        _, status = os.waitpid(child, 0)
    finally:
        testbed.remove()
    return os.waitstatus_to_exitcode(status) % 256


if __name__ == "__main__":
    sys.exit(main())
