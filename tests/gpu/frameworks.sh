#!/bin/bash
# frameworks.sh BUILD OUT [--record] [--lanes N] [--level LEVEL] [--limit SECONDS]
#               [--seconds SECONDS] [PAIR…]
# frameworks.sh --judge DIR BUILD
#
# Every program of kernels/frameworks, bad and good, under `cudadvise run` at its
# default level or at LEVEL: which finding comes first on bad, what is above low on
# good, and the predicted against the achieved seconds (frameworks_table.py). OUT gets
# PAIR.VARIANT.cadv, .out, .err, the exit status in .rc, and table.txt. N programs
# (3) start at once and take turns on the GPU. A run gets --limit (90) seconds; after
# --seconds none is started. What has a capture in OUT is not run again. --record
# leaves the judging for later; --judge says what the recordings in DIR come to, which
# needs no GPU. What needs a module that is not installed is skipped.
set -u
usage() {
	sed -n '2,4s/^# //p' "$0" >&2
	exit 2
}

[ $# -ge 2 ] || usage
table=$(cd "$(dirname "$0")" && pwd)/frameworks_table.py
if [ "$1" = --judge ]; then
	[ $# -eq 3 ] || usage
	exec python3 "$table" "$2" --cli "$3/bin/cudadvise"
fi
BUILD=$(cd "$1" && pwd) && mkdir -p "$2" && OUT=$(cd "$2" && pwd) || exit 1
shift 2
record= lanes=3 level= limit=90 seconds=1000000 only=()
while [ $# -gt 0 ]; do
	case $1 in
	--record) record=1 ;;
	--lanes | --level | --limit | --seconds)
		[ $# -ge 2 ] || usage
		declare "${1#--}=$2"
		shift ;;
	-*) usage ;;
	*) only+=("${1//-/_}") ;;
	esac
	shift
done
. "$(dirname "$0")/common.sh"
prepare
folder=$(cd "$here/../../kernels/frameworks" && pwd)
# Predictions rest on this GPU's ceilings, as they should for a user.
"$cudadvise" calibrate >"$OUT/calibrate.out" 2>"$OUT/calibrate.err" ||
    echo "cudadvise calibrate failed, see $OUT/calibrate.err"

# record PAIR VARIANT: the program under cudadvise, with a state of its own. Its turn
# (kernels/frameworks/pair.py) lasts until cudadvise is done.
record() {
	local to=$OUT/$1.$2 place
	place=$(mktemp -d "$scratch/XXXX") || return
	mkdir -m 700 "$place/r" "$place/s"
	cp -r "$scratch/s/calibration" "$place/s/" 2>/dev/null
	CUDADVISE_RUNTIME_DIR=$place/r CUDADVISE_STATE_DIR=$place/s \
	    CUDADVISE_PAIR_TURN=9 timeout -k 5 "$limit" \
	    "$cudadvise" run --no-daemon --quiet ${level:+--level "$level"} \
	    -o "$to.part" -- python3 "$folder/$1.py" "$2" \
	    >"$to.out" 2>"$to.err" </dev/null 9>>"$scratch/turn"
}

# held CAPTURE: another process had the counters when it was recorded.
held() {
	"$cudadvise" kernels --format json "$1" 2>/dev/null |
	    grep -q 'held the counters'
}

# one PAIR VARIANT: recorded; once more if another process had the counters.
one() {
	local to=$OUT/$1.$2 begin=$SECONDS rc
	record "$1" "$2"
	rc=$?
	if [ "$rc" -eq 0 ] && held "$to.part"; then
		record "$1" "$2"
		rc=$?
	fi
	echo "$rc" >"$to.rc"
	if [ "$rc" -eq 0 ]; then
		mv "$to.part" "$to.cadv"
	else
		mv "$to.part" "$to.failed" 2>/dev/null
	fi
	echo "$1 $2: status $rc, $((SECONDS - begin)) s"
}

# worker N: takes the N-th of every ${lanes} jobs.
worker() {
	local i
	for ((i = $1; i < ${#jobs[@]}; i += lanes)); do
		[ "$SECONDS" -lt "$seconds" ] || break
		# shellcheck disable=SC2086
		one ${jobs[i]}
	done
}

jobs=()
for program in "$folder"/*.py; do
	name=$(basename "$program" .py)
	[ "$name" != pair ] || continue
	[ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " = *" $name "* ]] || continue
	for variant in bad good; do
		[ -s "$OUT/$name.$variant.cadv" ] || jobs+=("$name $variant")
	done
done
for ((lane = 0; lane < lanes; lane++)); do
	worker "$lane" &
done
wait
[ -z "$record" ] || exit 0
python3 "$table" "$OUT" --cli "$cudadvise" | tee "$OUT/table.txt"
exit "${PIPESTATUS[0]}"
