"""The command line of bench/run."""
import argparse
import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("isolation", "start", "python", "rate", "alive", "memory", "stream", "calls")
CHECKED = ("start", "stream")  # what --check judges

DESCRIPTION = """What a sandbox costs: sbx beside its peers and beside the least that the kernel can do
(floor.c), interleaved and shuffled in one run, so that the ratios hold also on a machine that is not quiet.

Parts:
  isolation   what each gives, seen from inside: read this one first
  start       starting /bin/true (or --cmd): min, median, p99
  python      starting python3 -c pass
  rate        sandboxes a second, 1 to 64 at the same time
  alive       a start while many sandboxes are alive
  memory      what the launcher of one live sandbox takes
  stream      bytes a second out of the payload, and through it
  calls       system calls inside
"""


def parts(text):
    chosen = text.split(",")
    if unknown := [part for part in chosen if part not in PARTS]:
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in chosen)


def executable(path):
    found = shutil.which(path)
    return os.path.abspath(found) if found else None


def add_measures(parser):
    parser.add_argument("--only", type=parts, metavar="PART,...",
                        help="these parts; default: all, with --check start,stream")
    parser.add_argument("--rounds", type=int, default=200, help="starts of each (python: half of them) [%(default)s]")
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--pause-ms", type=float, default=3.0, help="pause before each start [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the order within the rounds")
    parser.add_argument("--rate-ms", type=int, default=1000, help="time for each figure of rate [%(default)s]")
    parser.add_argument("--alive", type=int, default=200, help="how many are alive in that part [%(default)s]")
    parser.add_argument("--stream-mib", type=int, default=1024, help="bytes of stream; 0 leaves it out [%(default)s]")
    parser.add_argument("--stream-rounds", type=int, default=5)


def parse():
    parser = argparse.ArgumentParser(description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sbx", default=str(ROOT / "build" / "src" / "sbx"),
                        help="the sbx to measure; '' leaves it out")
    parser.add_argument("--bwrap", default="bwrap", help="the bubblewrap to compare with; '' leaves it out")
    parser.add_argument("--cmd", nargs="+", default=["/bin/true"], help="the command to start (absolute path)")
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter of the part python")
    add_measures(parser)
    parser.add_argument("--user", action="append", default=[], metavar="NAME",
                        help="measure as this ordinary user as well (root only)")
    parser.add_argument("--json", metavar="FILE", help="write all figures there, too")
    parser.add_argument("--markdown", metavar="FILE", help="write the report there instead of printing it")
    parser.add_argument("--svg", metavar="FILE", help="draw the starts as a chart")
    parser.add_argument("--check", action="store_true", help="exit 1 if sbx is slower than bwrap, or anything fails")
    args = parser.parse_args()
    if args.sbx and not os.access(args.sbx, os.X_OK):
        parser.error(f"{args.sbx} is not there: build it, or name another with --sbx")
    args.sbx = os.path.abspath(args.sbx) if args.sbx else None
    args.bwrap = executable(args.bwrap) if args.bwrap else None
    if args.user and os.geteuid() != 0:
        parser.error("--user needs root")
    args.only = args.only or (CHECKED if args.check else PARTS)
    if args.svg and "start" not in args.only:
        parser.error("--svg draws the part start")
    if not args.stream_mib:
        args.only = tuple(part for part in args.only if part != "stream")
    return args
