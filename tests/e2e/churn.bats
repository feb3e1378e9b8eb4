# Threads that load, launch, time and unload kernels, as the autotuner of a
# compiler does (tests/mock/churn.c), on small stacks.

load common

# churn ARGUMENTS: run this program under cudadvise; calls has the mock's trace.
churn() {
	rm -f calls
	MOCK_TRACE=calls "$bin/cudadvise" run $options -- "$bin/mock-churn" \
	    "$@" >out 2>report || fail "exit code $?"
}

# A query of a stream that is destroyed meanwhile reads freed memory on a GPU.
none_stale() {
	! grep "^stale" calls || fail "a destroyed stream was asked about"
}

@test "threads on small stacks load, time and unload kernels" {
	for options in "--level trace" "--level counters" "" "--level source"
	do
		churn 4 80
		none_stale
		load
		# Each round launches three times. A launch that does not wait
		# for another thread's window leaves no record.
		same "launches, told or lost" "$(of '.run |
		    .launches + .data.lost')" 960
	done
}

@test "a stream is destroyed only when no query of it is under way" {
	options="--overhead-budget 1000"
	# As if another thread's load held the driver's lock.
	for streams in 60 400; do
		MOCK_SLOW=cuStreamQuery=30 churn 3 60 $streams
		none_stale
	done
}

@test "a kernel that waits for the host is not held again and again" {
	options="--overhead-budget 1000"
	churn 1 400
	slow=$(awk '/^slow/ { print $2 }' out)
	# 2 to 10 until it is known; 17 to 21 if nothing is learned.
	[ "$slow" -le 13 ] || fail "held $slow times"
}

@test "a window ends only when what came into it has ended" {
	options="--overhead-budget 1000"
	MOCK_PATCHED_MS=40 churn 4 60
	! grep -E '^(busy|racing) .*(Stop|Disable)' calls || fail "not alone"
}

@test "threads that load code are not met by CUPTI, and not asked about" {
	# A load waits for the kernels that run and holds the driver's lock; such
	# a kernel may wait for the thread that would wait for the lock here.
	export MOCK_LOAD_WAITS=1
	for options in "" "--level source"; do
		options="$options --overhead-budget 1000"
		# Whether a launch comes between two loads is chance, and with
		# ThreadSanitizer it often does not.
		for _ in 1 2 3 4 5; do
			churn 4 60
			! grep -E "^(loading|stuck|racing)" calls ||
			    fail "$options: beside a load"
			! grep -q cuptiRangeProfilerStart calls || break
		done
		grep -q cuptiRangeProfilerStart calls || fail "nothing measured"
	done
}
