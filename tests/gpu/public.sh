#!/bin/bash
# public.sh BUILD LIST DIR OUT [--levels LEVEL,…] [--lanes N] [--only NAME,…]
#           [--slice FIRST:LAST] [--seconds SECONDS] [--max-alone SECONDS]
#           [--patience SECONDS] [--again] [--keep]
#
# Does a program written by other people behave differently when it is measured? LIST
# is a tab-separated list of programs (public.py has its columns), DIR the folder
# with their directories. Each program runs alone twice, which tells which parts of
# its output vary, then once at each level of --levels (trace,default,source;
# default: without --level), each time in a fresh copy of its directory. The exit
# status, the standard output and the time are compared. OUT gets public.tsv, a line
# for each program and level as soon as it is known, and after a difference
# NAME.LEVEL.out, .err and .cadv (--keep: always). Called again, it continues after
# what is there (--again: from the beginning); --slice 1:70 runs the first 70 of the
# list. With several GPUs each lane has its own. If --lanes makes lanes share one,
# programs run side by side alone and at trace, and one at a time if counters are
# taken, which may be refused to a second process. Programs that need two GPUs run at
# the end. No program is started after --seconds; one that takes longer than
# --max-alone is left out; a run may take --patience (30) seconds more than three
# times the program's own time. Exit status 1 if any program behaved differently.
set -u
[ $# -ge 4 ] && [[ $1$2$3$4 != *--* ]] || {
	sed -n '2,4s/^# //p' "$0" >&2
	exit 2
}
BUILD=$(cd "$1" && pwd) && list=$(realpath "$2") && dir=$(cd "$3" && pwd) &&
    mkdir -p "$4" && OUT=$(cd "$4" && pwd) || exit 1
shift 4
. "$(dirname "$0")/common.sh"
[ -x "$cudadvise" ] || skip "$cudadvise was not built"
places
python3 "$here/public.py" --cudadvise "$cudadvise" --scratch "$scratch" \
    "$list" "$dir" "$OUT" "$@"
