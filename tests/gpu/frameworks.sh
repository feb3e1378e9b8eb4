#!/bin/bash
# frameworks.sh BUILD OUT [--record] [--lanes N] [--level LEVEL] [--limit SECONDS]
#               [--seconds SECONDS] [PAIR…]
# frameworks.sh --judge DIR BUILD
#
# Runs every program of kernels/frameworks, bad and good, under `cudadvise run`
# at its default level or at LEVEL. Prints which finding comes first on bad,
# what is above low severity on good, and the predicted against the achieved
# seconds (frameworks_table.py). OUT gets PAIR.VARIANT.cadv, .out, .err, the
# exit status in .rc, and table.txt. N programs (3) start at once and take turns
# on the GPU. A run may take --limit (90) seconds; after --seconds none is
# started. A program with a capture in OUT is not run again. --record records
# without judging; --judge judges the recordings in DIR, which needs no GPU. A
# program that needs a module that is not installed is skipped.
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
# Calibrate, because a user's predictions use this GPU's measured ceilings.
"$cudadvise" calibrate >"$OUT/calibrate.out" 2>"$OUT/calibrate.err" ||
    echo "cudadvise calibrate failed, see $OUT/calibrate.err"

# record PAIR VARIANT: run the program under cudadvise, with a state directory of
# its own. It keeps its turn (kernels/frameworks/pair.py) until cudadvise has ended.
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

# held CAPTURE: whether another process held the counters during the recording.
held() {
	"$cudadvise" kernels --format json "$1" 2>/dev/null |
	    grep -q 'held the counters'
}

# one PAIR VARIANT: record it, and once more if another process held the counters.
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

# worker N: run the jobs N, N + lanes, N + 2 lanes ….
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
