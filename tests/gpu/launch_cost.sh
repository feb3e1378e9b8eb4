#!/bin/bash
# launch_cost.sh BUILD OUT [SECONDS]: where the time goes that measuring adds to
# a launch of a PyTorch loop. Measured alone and traced, twice, in separate
# processes; and with each part of the measuring switched on, in turns in one
# process, at `--level trace` and at the default (launch_cost.py). All of it may
# take SECONDS (150). Writes OUT/launch_cost.txt.
set -u
BUILD=${1:?usage: launch_cost.sh BUILD OUT [SECONDS]}
OUT=${2:?usage: launch_cost.sh BUILD OUT [SECONDS]}
seconds=${3:-150}
. "$(dirname "$0")/common.sh"
prepare
switch=$(realpath "$BUILD/lib/libcupti_switch.so") ||
    skip "libcupti_switch.so was not built"
to=$OUT/launch_cost.txt
: >"$to"
SECONDS=0
failed=0

say() {
	echo "$*" | tee -a "$to"
}

# measure NAME COMMAND…: print the command's output and its exit status.
measure() {
	local name=$1 rc
	shift
	say "== $name"
	"$@" >"$OUT/last.out" 2>"$OUT/last.err"
	rc=$?
	tee -a "$to" <"$OUT/last.out"
	[ $rc -ne 77 ] || skip "$(tail -1 "$OUT/last.err")"
	[ $rc -eq 0 ] || {
		say "FAIL: status $rc: $(tail -3 "$OUT/last.err")"
		failed=1
	}
}

loop=(python3 "$here/launch_cost.py")
run=("$cudadvise" run -q --no-daemon -o "$scratch/run.cadv")

# switched LEVEL SHARE: use this share of the seconds that are left. PyTorch has
# loaded the CUPTI that comes with it; the switch forwards to that one.
switched() {
	local cuda=${CUDA_HOME:-/usr/local/cuda}
	local left=$(((seconds - SECONDS) * $2 / 100 - started))
	local -a with=("CUDADVISE_CUPTI=$switch")
	ldd "$switch" | grep -q 'libcupti.*not found' &&
	    with+=("LD_LIBRARY_PATH=$cuda/lib64:$cuda/extras/CUPTI/lib64")
	[ $left -ge 10 ] || {
		say "in turns, --level $1: no time is left"
		return
	}
	measure "in turns, --level $1" env "${with[@]}" "${run[@]}" --level "$1" -- \
	    "${loop[@]}" $left "$switch" \
	    "$OUT/rounds.$1.json"
}

# The first start reads PyTorch's files from the disk; the second tells how long
# a start takes.
python3 -c 'import torch; torch.zeros(1).cuda()' 2>/dev/null
begin=$SECONDS
python3 -c 'import torch; torch.zeros(1).cuda()' 2>/dev/null
started=$((SECONDS - begin + 3))
measure alone "${loop[@]}" 4
measure "--level trace" "${run[@]}" --level trace -- "${loop[@]}" 4
switched trace 46
measure "--level trace" "${run[@]}" --level trace -- "${loop[@]}" 4
measure alone "${loop[@]}" 4
switched auto 92
say "$SECONDS s"
exit $failed
