# CUPTI's profilers are turned on and off only when the GPU is idle and no other
# thread launches: on a GPU such a call hung behind a kernel that waited for the
# launch whose callback made the call, and beside the launches of other threads.
# The mock writes "busy FUNCTION" and "racing FUNCTION" to its trace.

load code	# first: common has a load of its own
load common

alone() {
	MOCK_TRACE=$T/calls measure "$@"
	! grep -E '^(busy|racing) ' calls || fail "not alone: $*"
	load "$T/c.cadv"
}

# turned WHAT…: each of these must have been turned on and off.
turned() {
	for what; do
		grep -q "^cupti${what}Disable" calls || fail "$what stayed on"
	done
	rm calls
}

@test "profilers go on and off with the GPU idle, however many streams there are" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		# Long enough for an idle profiler to be disabled.
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

@test "no measurement waits for kernels that take long" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		alone --pinned 1 --streams 2 --signatures 2 --kernels 6 \
		    --kernel-us 1000000 --longest
		awk '$1 == "longest_ms" { exit !($2 < 900) }' out ||
		    fail "$level: held: $(cat out)"
		has_launches 6 2
		[ $level = source ] ||
		    of '.kernels[].headline.occupancy.reason' |
		    grep -qE "max-stall|it shared the GPU with other" ||
		    fail "no reason"
	done
}

@test "the host is not held long for a counted kernel that waits for the host" {
	options="--no-daemon -o $T/c.cadv"
	MOCK_PATCHED_MS=1500 alone --pinned 1 --streams 2 --signatures 1 \
	    --kernels 4 --kernel-us 100 --longest
	grep -q '^cuptiSassMetricsEnable' calls || fail "nothing was counted"
	awk '$1 == "longest_ms" { exit !($2 < 900) }' out ||
	    fail "held: $(cat out)"
	# Launches before the kernel has ended leave no record.
	same "launches, told or lost" "$(of '.run | .launches + .data.lost')" 4
}

# 13 times the kernel's time and 50 ms are expected: more than two holds, less than six.
@test "a kernel is counted for longer than two holds, but not for more than six" {
	options="--no-daemon -o $T/c.cadv"
	MOCK_PATCHED_MS=300 alone --signatures 1 --kernels 12 \
	    --kernel-us 20000 --longest
	same "counted" "$(of .run.source.kernels_counted)" 1
	awk '$1 == "longest_ms" { exit !($2 < 900) }' out ||
	    fail "held: $(cat out)"
	same "lost" "$(of .run.data.lost)" 0
	has_launches 12 1
	rm calls
	# 13 times 50 ms: not even six.
	alone --signatures 1 --kernels 12 --kernel-us 50000
	same "counted" "$(of .run.source.kernels_counted)" 0
	of '.kernels[].not_measured' | grep -q "max-stall" || fail "no reason"
}

# On an H200 48 launches ran with patched code behind a kernel that took half a
# second: 27 s in all. Launches that are not counted leave a record.
@test "after a kernel that takes long while it is counted, no other is patched" {
	options="--no-daemon -o $T/c.cadv"
	MOCK_PATCHED_MS=550 alone --signatures 1 --kernels 12 --kernel-us 100
	grep -q '^cuptiSassMetricsEnable' calls || fail "nothing was counted"
	same "lost" "$(of .run.data.lost)" 0
	has_launches 12 1
}

# On an H200 a pass with patched code took 140 ms where 94 were expected, just
# after a count by instruction had taken 115.
@test "a kernel that was slow with patched code gets no more counters by patched code" {
	options="--max-stall 400 --no-daemon -o $T/c.cadv"
	MOCK_PATCHED_MS=450 alone --signatures 1 --kernels 4000 --kernel-us 100
	same "all but what takes long" "$(of '.kernels[] | [.metrics_complete,
	    .measured_launches > 1, (.not_measured // "" | startswith(
	    "measuring the rest would hold the program for too long"))] |
	    map(tostring) | join(" ")')" "false true true"
}

@test "no measurement waits behind a slow host function" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		alone --kernels 200 --signatures 2 --host-func 6000 --longest
		awk '$1 == "longest_ms" { exit !($2 < 3000) }' out ||
		    fail "$level: held: $(cat out)"
		has_launches 200 2
	done
}

@test "a capture by another thread is not disturbed, nor one of the default stream" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		alone --kernels 3000 --signatures 8 --captures 400 \
		    --kernel-us 20 --pause-us 200
		! grep "^captured" calls || fail "$level: inside a capture"
		! grep "^unrelaxed" calls || fail "$level: in another's"
		# A capture that begins while a kernel is counted is not
		# delayed; its launches then leave no record.
		same "launches, told or lost" "$(of '.run |
		    .launches + .data.lost')" 3000
		rm calls
	done
}

@test "no measurement waits for a stream that waits for a value" {
	for level in counters source; do
		options="--level $level --no-daemon -o $T/c.cadv"
		start=$SECONDS
		alone --kernels 200 --signatures 2 --wait-value 30000
		[ $((SECONDS - start)) -lt 15 ] ||
		    fail "$level: $((SECONDS - start)) s"
		has_launches 200 2
		of '.kernels[].headline.occupancy.reason' |
		    grep -q "it shared the GPU with other" || fail "no reason"
		[ $level = counters ] ||
		    same "attempts to sample are charged" \
		    "$(of '.run.overhead.by.sampling_s > 0')" true
	done
}

@test "an overflow of samples does not turn sampling off while a kernel runs" {
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
		    grep -q "another profiler or process held the counters" ||
		    fail "no reason"
		wait
		load "$T/first.cadv"
		same "measured" "$(of '[.kernels[] | select(.metrics_complete)] |
		    length')" 2
		"$bin/cudadvise" run $options -- "$target" \
		    --kernels 2000 --signatures 2 --pause-us 500 >second 2>&1
		load "$T/c.cadv"
		same "measured then" "$(of '[.kernels[] |
		    select(.metrics_complete)] | length')" 2
		rm out calls
	done
}
