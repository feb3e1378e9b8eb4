#!/bin/bash
# public.sh BUILD LIST DIR OUT [--levels LEVEL,…] [--lanes N] [--only NAME,…]
#           [--slice FIRST:LAST] [--seconds SECONDS] [--max-alone SECONDS]
#           [--patience SECONDS] [--again] [--keep]
#
# Does a program that nobody here wrote notice that it is measured? LIST is a
# tab-separated list of programs (public.py has its columns), DIR the folder
# that their directories are in. Each program runs alone twice, which says what
# of its output is never the same, then once at each level of --levels
# (trace,default,source; default: without --level), each time in a fresh copy
# of its directory. Compared are the exit status, the standard output and the
# time. OUT gets public.tsv, a line for each program and level as soon as it is
# known, and of what went wrong NAME.LEVEL.out, .err and .cadv (--keep: of
# everything). Called again it goes on behind what is there (--again: from the
# beginning); --slice 1:70 runs the first 70 of the list. With several GPUs each
# lane has its own; where --lanes makes lanes share one, programs run side by side
# alone and at trace, and one at a time where counters are taken, which a second
# process may be refused. What needs two GPUs runs at the end. No program is
# started after --seconds; one that takes longer than --max-alone is left out;
# --patience (30) is what a run may take above three times its own time. Exit
# status 1 if a program noticed.
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
