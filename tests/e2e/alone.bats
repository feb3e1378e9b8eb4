# CUPTI's profilers go on and off where the GPU is idle and nobody else launches:
# on a GPU such a call hung behind a kernel that waited for the launch in whose
# callback it was made, and beside the launches of other threads. The mock writes
# "busy FUNCTION" and "racing FUNCTION" to its trace.

load code	# first: common has a load of its own
load common

alone() {
	MOCK_TRACE=$T/calls measure "$@"
	! grep -E '^(busy|racing) ' calls || fail "not alone: $*"
	load "$T/c.cadv"
}

# turned WHAT…: this was turned on and off.
turned() {
	for what; do
		grep -q "^cupti${what}Disable" calls || fail "$what stayed on"
	done
	rm calls
}

@test "profilers go on and off with the GPU idle, however many streams there are" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		# Long enough for a profiler that lies idle to be put away.
		alone --kernels 1500 --signatures 3 --streams 4 --kernel-us 200
		has_launches 1500 3
		case $level in
		counters) turned RangeProfiler ;;
		source) turned RangeProfiler PCSampling ;;
		esac
		alone --kernels 600 --signatures 2 --streams 4 --threads 4 \
		    --kernel-us 100 --pause-us 500
		has_launches 2400 2
	done
}

@test "where a kernel waits, nobody waits for the GPU any more" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		start=$SECONDS
		alone --pinned 1 --streams 2 --signatures 2 --kernels 6 \
		    --kernel-us 2500000
		# 3 launches a stream, one of each kernel tried for 2 s.
		[ $((SECONDS - start)) -lt 25 ] ||
		    fail "$level: $((SECONDS - start)) s"
		has_launches 6 2
		[ $level = source ] ||
		    of '.kernels[].headline.occupancy.reason' | grep -qE \
		    "host held it did not end|it shared the GPU with other" ||
		    fail "no reason"
	done
}

@test "what one kernel is waited for costs the others nothing" {
	options="--level counters --no-daemon -o $T/c.cadv"
	measure --pinned 1 --signatures 2 --kernels 2 --kernel-us 2500000 \
	    --pause-us 1000000
	load "$T/c.cadv"
	has_launches 2 2
	# 2 s for the first one, and a look at the second.
	of .run.overhead.by.counters_s | awk '{ exit !($1 > 1.9 && $1 < 3.5) }' ||
	    fail "$(of .run.overhead.by)"
	of .diagnostics | grep -q budget && fail "$(of .diagnostics)"
	return 0
}

@test "a stream that waits for a value is not waited for" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		start=$SECONDS
		alone --kernels 200 --signatures 2 --wait-value 30000
		[ $((SECONDS - start)) -lt 15 ] ||
		    fail "$level: $((SECONDS - start)) s"
		has_launches 200 2
		of '.kernels[].headline.occupancy.reason' |
		    grep -q "it shared the GPU with other" || fail "no reason"
	done
}

@test "samples that run over are no reason to turn sampling off behind a kernel" {
	options="--level source --no-daemon -o $T/c.cadv"
	MOCK_SAMPLING_FULL=1 alone --kernels 400 --signatures 4 --streams 2 \
	    --kernel-us 5000
	has_launches 400 4
	turned PCSampling
}

@test "of the processes on a GPU one at a time measures" {
	export MOCK_MACHINE=$T
	for level in counters source; do
		options="--level $level --no-daemon -o $T/first.cadv"
		measure --kernels 2000 --signatures 2 --ready --sleep-ms 8000 \
		    >/dev/null 2>&1 &
		for _ in $(seq 100); do
			grep -q ready out 2>/dev/null && break
			sleep 0.1
		done
		options="--level $level --no-daemon -o $T/c.cadv"
		MOCK_TRACE=$T/calls "$bin/cudadvise" run $options -- "$target" \
		    --kernels 200 --signatures 2 >second 2>&1
		! grep -E '^cupti(RangeProfiler|PCSampling)Enable' calls ||
		    fail "$level: the second one measured, too"
		load "$T/c.cadv"
		has_launches 200 2
		of '.kernels[].headline.occupancy.reason' |
		    grep -q "another profiler holds the counters" ||
		    fail "no reason"
		wait
		load "$T/first.cadv"
		same "measured" "$(of '[.kernels[] | select(.metrics_complete)] |
		    length')" 2
		"$bin/cudadvise" run $options -- "$target" \
		    --kernels 2000 --signatures 2 >second 2>&1
		load "$T/c.cadv"
		same "measured then" "$(of '[.kernels[] |
		    select(.metrics_complete)] | length')" 2
		rm out calls
	done
}
