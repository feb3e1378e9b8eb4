# CUPTI refuses calls: permission (35), hardware busy (26), another subscriber
# (39), not initialised (15), in each place where it can. The program must not
# be affected, everything else must still be measured, and the report must say
# what is missing and how to get it.

load common

# The function that subscribes: CUPTI of CUDA 13 has a second version of it.
subscribe=cuptiSubscribe
! nm -D "$E2E_BUILD/lib/libmock_cupti${E2E_MAJOR:-}.so" | grep -q "$subscribe"_v2 ||
	subscribe=cuptiSubscribe_v2

# refused FUNCTION=CODE TIER: TIER is what must still work: trace or none.
refused() {
	rm -rf "$T/s"
	options="$patient --no-daemon -o $T/c.cadv"
	rm -f "$T/c.cadv"
	MOCK_REFUSE=$1 measure --kernels 500 --signatures 4 --pause-us 100 \
	    --stdout "as ever" --exit-code 3 && fail "$1: exit code 0"
	same "$1: output" "$(cat out)" "as ever"
	load "$T/c.cadv" || fail "$1: no report"
	if [ "$2" = trace ]; then
		same "$1: launches, kernels, those with times" "$(of '"\(
		    .run.launches) \(.kernels | length) \([.kernels[] |
		    select(.time.mean_ns > 0)] | length)"')" "500 4 4"
	fi
	same "$1: exit code in the run, any diagnostics, those without a remedy" \
	    "$(of '"\(.run.exit_code) \(.diagnostics | length > 0) \([
	    .diagnostics[] | select(.severity != "info" and (.remedy == null or
	    .remedy == ""))] | length)"')" "3 true 0"
}

# Without counters, every kernel must give the reason.
unmeasured() {
	refused "$1" trace
	same "$1: silent kernels" "$(of '[.kernels[] | select(
	    (.metrics_complete | not) and .not_measured == null)] |
	    length')" 0
}

# The functions of the counter tier that such a run calls, except those that
# only clean up.
counter_functions() {
	options="$patient --no-daemon -o $T/all.cadv"
	MOCK_TRACE=$T/calls measure --kernels 200 --signatures 4
	sort -u calls | grep -E '^cupti(Profiler|RangeProfiler|DeviceGetChip)' |
	    grep -v -E '(Disable|Deinitialize)$'
}

# everywhere CODE: each of these functions is refused once with this code.
everywhere() {
	list=$(counter_functions)
	[ "$(echo "$list" | wc -l)" -ge 12 ] ||
	    fail "too few functions: $list"
	for f in $list; do
		unmeasured "$f=$1"
	done
}

@test "counters refused with 35 (permission), wherever" {
	everywhere 35
}

@test "the permission's remedy names the driver's option" {
	unmeasured "cuptiRangeProfilerEnable=35"
	of '.diagnostics[].remedy' | grep -q NVreg_RestrictProfilingToAdminUsers ||
	    fail "no remedy: $(of '.diagnostics')"
	# What permission would add, and how to get it, is said only once.
	same "said" "$(grep -c NVreg_RestrictProfilingToAdminUsers report)" 1
	tr -s ' \n' ' ' <report | grep -q "permission adds what limits each kernel" ||
	    fail "the report does not say what permission adds"
	# Samples and counts by instruction would be refused as well.
	! grep -qE -e '--level (auto|source)' report || fail "advises what needs it too"
}

@test "counters refused with 26 (hardware busy), wherever" {
	another_code
	everywhere 26
}

@test "counters refused with 15 (not initialised), wherever" {
	another_code
	everywhere 15
}

@test "counters refused in the middle of the run" {
	for f in cuptiRangeProfilerStart cuptiRangeProfilerStop \
	    cuptiRangeProfilerSetConfig cuptiRangeProfilerDecodeData; do
		unmeasured "$f=26@3"
	done
}

@test "another subscriber (39): nothing is changed, and the report names it" {
	MOCK_TRACE=$T/calls refused "$subscribe=39" none
	same "calls after it" "$(sed "1,/$subscribe/d" calls |
	    grep -c '^cupti')" 0
	# CUPTI of CUDA 12 has no name for this error; cudadvise has one.
	of '.diagnostics[].text' | grep -q "another profiler" ||
	    fail "not named: $(of .diagnostics)"
}

@test "subscribing refused with 15, 35" {
	refused "$subscribe=15" none
	refused "$subscribe=35" none
}

@test "tracing refused: the program runs, the report says why" {
	for f in cuptiActivityRegisterCallbacks cuptiActivityEnable \
	    cuptiEnableCallback; do
		for code in 15 35; do
			refused "$f=$code" none
		done
	done
}

# verdict RULE: the rule's state and reason in the last capture.
verdict() {
	"$bin/cudadvise" findings --json "$T/c.cadv" | jq -r --arg rule "$1" \
	    '.rules[] | select(.rule == $rule) | "\(.state): \(.reason)"'
}

@test "rules about what CUPTI did not trace are not clean" {
	# All kinds of records but kernels are refused.
	options="$patient --no-daemon --level trace -o $T/c.cadv"
	MOCK_REFUSE=cuptiActivityEnable=15@2 measure --kernels 200
	for rule in many-small-copies pageable-host-memory gpu-idle-gaps; do
		same "$rule" "$(verdict $rule)" \
		    "not_measured: CUPTI refused to trace copies"
	done
	# These rules use API calls, which are recorded.
	same "allocations" "$(verdict device-memory-leak)" "clean: null"
	same "errors" "$(verdict unchecked-errors)" "clean: null"
	same "kernels" "$(verdict block-not-warp-multiple)" "clean: null"
	refused cuptiActivityEnable=15 none
	same "kernels" "$(verdict block-not-warp-multiple)" \
	    "not_measured: CUPTI refused to trace kernels"
	refused cuptiActivityEnable=15@11 none	# after a measured launch
	same "kernels" "$(verdict block-not-warp-multiple)" \
	    "clean: CUPTI traced no kernels any more after one was measured"
	refused cuptiEnableCallback=35@2 none
	same "errors" "$(verdict unchecked-errors)" \
	    "not_measured: CUPTI refused to report some API calls"
	same "allocations" "$(verdict device-memory-leak)" \
	    "not_measured: CUPTI refused to report some API calls"
	refused cuptiActivityRegisterCallbacks=15 none
	same "copies" "$(verdict many-small-copies)" \
	    "not_measured: CUPTI refused to trace"
	refused "$subscribe=39" none
	same "copies" "$(verdict many-small-copies)" \
	    "not_measured: CUPTI was not free in a process of the run"
	options="$patient --no-daemon -o $T/c.cadv"
	rm -f "$T/c.cadv"
	CUDADVISE_CUPTI=/nonexistent/libcupti.so measure --kernels 10
	same "kernels" "$(verdict block-not-warp-multiple)" \
	    "not_measured: CUPTI could not be used in a process of the run"
}

@test "optional parts refused: the trace goes on" {
	for f in cuptiActivitySetAttribute cuptiSetThreadIdType \
	    cuptiActivityEnableRuntimeApi cuptiActivityEnableDriverApi \
	    cuptiActivityConfigureUnifiedMemoryCounter cuptiGetStreamIdEx; do
		rm -f "$T/c.cadv"
		options="--no-daemon -o $T/c.cadv"
		MOCK_REFUSE="$f=15" measure --kernels 200 --signatures 4
		load "$T/c.cadv"
		same "$f: launches" "$(of .run.launches)" 200
	done
}

@test "flushing is slow: the program's end waits for a few seconds at most" {
	options="$patient --no-daemon -o $T/c.cadv"
	start=$SECONDS
	MOCK_FLUSH_MS=60000 measure --kernels 10 --exit-code 2 || got=$?
	same "exit code" "$got" 2
	[ $((SECONDS - start)) -lt 20 ] || fail "$((SECONDS - start)) s"
}

@test "no CUPTI at all" {
	options="$patient --no-daemon -o $T/c.cadv"
	CUDADVISE_CUPTI=/nonexistent/libcupti.so measure --kernels 10 \
	    --stdout "as ever" --exit-code 2 || got=$?
	same "exit code" "$got" 2
	same "output" "$(cat out)" "as ever"
	load "$T/c.cadv"
	[ "$(of '[.diagnostics[] | select(.remedy != null and .remedy !=
	    "")] | length')" -gt 0 ] || fail "no remedy"
}

# limited CODE: the run must have this warning once, with a remedy.
limited() {
	load "$T/c.cadv"
	same "$1" "$(of "[.diagnostics[] | select(.code == \"$1\" and
	    .severity == \"warning\" and .remedy != null)] | length")" 1
}

@test "a MIG slice, MPS: the report says what it limits" {
	options="$patient --no-daemon -o $T/c.cadv"
	measure --kernels 10 --contexts 2
	load "$T/c.cadv"
	same "without either" "$(of '[.diagnostics[] | select(.code == "mig" or
	    .code == "mps")] | length')" 0
	MOCK_MIG=1 measure --kernels 10 --contexts 2
	limited mig
	MOCK_MPS=1 measure --kernels 10 --contexts 2
	limited mps
}
