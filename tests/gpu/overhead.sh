#!/bin/bash
# overhead.sh BUILD OUT [REPETITIONS [TARGETS]]: what measuring costs, as a ratio to
# the same program alone, side by side in one run. The programs are a loop of empty
# launches and a PyTorch training loop. They run alone, with a library that only
# subscribes to CUPTI ("attached"), with one that only has CUPTI record kernels
# ("empty"), at each level of cudadvise, under nsys, and under ncu, which looks at a few
# of the launches, with our metrics and with --set full. On demand only: with "empty"
# that detaches CUPTI after 8 s ("detached").
#
# The target `lengths` is the loop at two lengths, alone and at each level: it separates
# the cost that is paid once from the cost of each launch. OVERHEAD_STEPS (600) is the
# number of training steps; OVERHEAD_NCU=0 leaves out ncu, which takes minutes;
# OVERHEAD_MODES lists the modes to run. After OVERHEAD_SECONDS (230) no further
# repetition begins. Writes OUT/times.tsv and OUT/overhead.txt. Exit status 1 if the
# trace tier costs more than half of nsys's slowdown, or if a program's output changed.
set -u
BUILD=${1:?usage: overhead.sh BUILD OUT [REPETITIONS [TARGETS]]}
OUT=${2:?usage: overhead.sh BUILD OUT [REPETITIONS [TARGETS]]}
repetitions=${3:-5}
targets=${4:-loop train lengths}
steps=${OVERHEAD_STEPS:-600}
seconds=${OVERHEAD_SECONDS:-230}
. "$(dirname "$0")/common.sh"
prepare
nsys=$(find_nsys) || nsys=
cuda=${CUDA_HOME:-/usr/local/cuda}
ncu=$(find_ncu) || ncu=
[ "${OVERHEAD_NCU:-1}" != 0 ] || ncu=
[ -n "$nsys" ] || echo "nsys was not found: left out"
[ -n "$ncu" ] || echo "ncu was not found: left out"
times=$OUT/times.tsv
: >"$times"
failed=0
launches=300000			# of the loop
lengths="100000 400000"		# of the loop where it is run at two
nsys_repetitions=3		# it takes long to start and end
ncu_launches=20			# that ncu looks at
ncu_loop=2000			# launches of the loop under ncu

# Sets the array `target`: the program. It is short under ncu, because every launch
# costs time there, even one that ncu does not look at. "short" is that program alone.
target_of() {			# TARGET MODE
	case $1.$2 in
	loop.ncu*|loop.short) target=("$programs/launch_loop" $ncu_loop) ;;
	loop-*)	target=("$programs/launch_loop" "${1#loop-}") ;;
	loop.*)	target=("$programs/launch_loop" $launches) ;;
	train.ncu*|train.short) target=(python3 "$here/train.py" 3) ;;
	train.*) target=(python3 "$here/train.py" "$steps") ;;
	esac
}

# Sets the array `wrap`: the tool. In the training, ncu skips the launches that
# fill the weights.
wrap_of() {			# TARGET MODE
	local skip=0
	[ "$1" = train ] && skip=200
	wrap=()
	case $2 in
	none|short) ;;
	attached|empty|detached)
		wrap=(env "CUDA_INJECTION64_PATH=$BUILD/lib/lib$2_cupti.so"
		    "LD_LIBRARY_PATH=$cuda/lib64:$cuda/extras/CUPTI/lib64") ;;
	sampling)
		wrap=("$cudadvise" run -q --no-daemon --level source
		    --no-counters -o "$scratch/run.cadv" --) ;;
	nsys)	wrap=("$nsys" profile -t cuda -s none --cpuctxsw=none
		    --force-overwrite true -o "$scratch/nsys") ;;
	ncu)	wrap=("$ncu" --clock-control none --metrics "$(metrics)"
		    --launch-skip $skip --launch-count $ncu_launches
		    --log-file "$OUT/$1.$2.log") ;;
	ncu-full)
		wrap=("$ncu" --clock-control none --set full
		    --launch-skip $skip --launch-count $ncu_launches
		    --log-file "$OUT/$1.$2.log") ;;
	*)	wrap=("$cudadvise" run -q --no-daemon --level "$2"
		    -o "$scratch/run.cadv" --) ;;
	esac
}

# The program's own measurement: ns a launch, or s of the loop.
reading() {
	sed -n 's/^\([0-9.]*\) \(ns\/launch\|s\)$/\1/p' "$1" | tail -1
}

# The seconds of the loop's second half, if the program prints them.
second_half() {
	sed -n 's/^second half \([0-9.]*\) s$/\1/p' "$1" | tail -1
}

# The number of launches of the program, from the trace level's capture.
count_launches() {
	"$cudadvise" show --json "$scratch/run.cadv" | python3 -c \
	    'import json, sys; print(json.load(sys.stdin)["run"]["launches"])'
}

# once TARGET MODE REPETITION: run it, and append a line to times.tsv: the
# program's measurement, wall time, second half, launches.
once() {
	local name=$1 mode=$2 rep=$3 to=$OUT/$1.$2 start end rc value said
	local -a wrap target
	target_of "$name" "$mode"
	wrap_of "$name" "$mode"
	start=$(date +%s.%N)
	"${wrap[@]}" "${target[@]}" >"$to.out" 2>"$to.err"
	rc=$?
	end=$(date +%s.%N)
	if [ $rc -eq 77 ]; then
		tail -1 "$to.err"
		return 77
	fi
	# nsys reports its progress on stdout, and may keep the target's stderr.
	said=$to.err
	value=$(reading "$said")
	if [ -z "$value" ]; then
		said=$to.out
		value=$(reading "$said")
	fi
	if [ $rc -ne 0 ] || [ -z "$value" ]; then
		echo "FAIL: $name under $mode: status $rc, see $to.err"
		failed=1
		return 0
	fi
	case $mode in
	attached|empty|detached|trace|auto|counters|source|sampling)
		cmp -s "$OUT/$name.none.out" "$to.out" || {
			echo "FAIL: $name prints something else under $mode"
			failed=1; } ;;
	esac
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$mode" "$rep" "$value" \
	    "$(echo "$start $end" | awk '{print $2 - $1}')" \
	    "$(second_half "$said")" \
	    "$([ "$mode" = trace ] && count_launches)" >>"$times"
}

# The metrics of the counter tier, as a list for ncu.
metrics() {
	local list=$here/../../config/metrics/counters.metrics
	sed '/^\[source\]/,$d; s/[#[ ].*//; /^[[:space:]]*$/d' "$list" | tr -d ' \t' | sort -u |
	    paste -sd, -
}

# The modes of one repetition; ncu only runs in the first one.
modes_of() {			# REPETITION TARGET
	local modes="none attached empty trace auto counters sampling source"
	if [ -n "${OVERHEAD_MODES:-}" ]; then
		echo "$OVERHEAD_MODES"
		return
	fi
	# Other tools are not run at two lengths: it takes long, and is not needed.
	case $2 in loop-*) echo "$modes"; return ;; esac
	[ -n "$nsys" ] && [ "$1" -le $nsys_repetitions ] && modes="$modes nsys"
	[ -n "$ncu" ] && [ "$1" -eq 1 ] && modes="$modes short ncu ncu-full"
	echo "$modes"
}

SECONDS=0
left=
for name in $targets; do
	if [ "$name" = lengths ]; then
		for n in $lengths; do
			left="$left loop-$n"
		done
	else
		left="$left $name"
	fi
done
for rep in $(seq "$repetitions"); do
	if [ $SECONDS -ge "$seconds" ]; then
		echo "stopped after $((rep - 1)) repetitions: $seconds s are over"
		break
	fi
	for name in $left; do
		modes=$(modes_of "$rep" "$name" | tr ' ' '\n')
		# Every second repetition runs the modes in reverse order, so that
		# a machine that becomes slower does not count against one mode.
		[ $((rep % 2)) -eq 1 ] || modes=$(tac <<<"$modes")
		for mode in $modes; do
			once "$name" "$mode" "$rep" && continue
			# This target cannot run here.
			left=$(echo " $left " | sed "s/ $name / /")
			break
		done
	done
done

python3 "$here/overhead_table.py" "$times" $ncu_launches $ncu_loop \
    >"$OUT/overhead.txt" || failed=1
cat "$OUT/overhead.txt"
exit $failed
