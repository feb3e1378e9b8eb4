# CUPTI refuses: permission (35), hardware busy (26), another subscriber (39),
# not initialised (15), at each place where it can. The program must not
# notice, what still works must work, and the report must say what is missing
# and how to get it.

load common

# refused FUNCTION=CODE TIER: TIER is what must still work: trace or none.
refused() {
	rm -rf "$T/s"
	options="--no-daemon -o $T/c.cadv"
	rm -f "$T/c.cadv"
	MOCK_REFUSE=$1 measure --kernels 200 --signatures 4 --stdout "as ever" \
	    --exit-code 3 && fail "$1: exit code 0"
	same "$1: output" "$(cat out)" "as ever"
	load "$T/c.cadv" || fail "$1: no report"
	if [ "$2" = trace ]; then
		same "$1: launches" "$(of .run.launches)" 200
		same "$1: kernels" "$(of '.kernels | length')" 4
		same "$1: times" "$(of '[.kernels[] | select(.time.mean_ns >
		    0)] | length')" 4
	fi
	same "$1: exit code in the run" "$(of .run.exit_code)" 3
	[ "$(of '.diagnostics | length')" -gt 0 ] ||
	    fail "$1: no diagnostic"
	same "$1: diagnostics without a remedy" "$(of '[.diagnostics[] |
	    select(.severity != "info" and (.remedy == null or .remedy ==
	    ""))] | length')" 0
}

# Counters gone: every kernel must say why.
unmeasured() {
	refused "$1" trace
	same "$1: silent kernels" "$(of '[.kernels[] | select(
	    (.metrics_complete | not) and .not_measured == null)] |
	    length')" 0
}

# The functions of the counter tier that a run like this calls, but for those
# that only tidy up.
counter_functions() {
	options="--no-daemon -o $T/all.cadv"
	MOCK_TRACE=$T/calls measure --kernels 200 --signatures 4
	sort -u calls | grep -E '^cupti(Profiler|RangeProfiler|DeviceGetChip)' |
	    grep -v -E '(Disable|Deinitialize)$'
}

# everywhere CODE: each of them refuses once with this code.
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
	grep -q NVreg_RestrictProfilingToAdminUsers report ||
	    fail "the report does not say it"
}

@test "counters refused with 26 (hardware busy), wherever" {
	everywhere 26
}

@test "counters refused with 15 (not initialised), wherever" {
	everywhere 15
}

@test "counters refused in the middle of the run" {
	for f in cuptiRangeProfilerStart cuptiRangeProfilerStop \
	    cuptiRangeProfilerSetConfig cuptiRangeProfilerDecodeData; do
		unmeasured "$f=26@3"
	done
}

@test "another subscriber (39): nothing is touched, and it is named" {
	MOCK_TRACE=$T/calls refused "cuptiSubscribe_v2=39" none
	same "calls after it" "$(sed '1,/cuptiSubscribe_v2/d' calls |
	    grep -c '^cupti')" 0
	of '.diagnostics[].text' | grep -q "another profiler" ||
	    fail "not named: $(of .diagnostics)"
}

@test "subscribing refused with 15, 35" {
	refused "cuptiSubscribe_v2=15" none
	refused "cuptiSubscribe_v2=35" none
}

@test "tracing refused: the program runs, the report says why" {
	for f in cuptiActivityRegisterCallbacks cuptiActivityEnable \
	    cuptiEnableCallback; do
		for code in 15 35; do
			refused "$f=$code" none
		done
	done
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
	options="--no-daemon -o $T/c.cadv"
	start=$SECONDS
	MOCK_FLUSH_MS=60000 measure --kernels 10 --exit-code 2 || got=$?
	same "exit code" "$got" 2
	[ $((SECONDS - start)) -lt 20 ] || fail "$((SECONDS - start)) s"
}

@test "no CUPTI at all" {
	options="--no-daemon -o $T/c.cadv"
	CUDADVISE_CUPTI=/nonexistent/libcupti.so measure --kernels 10 \
	    --stdout "as ever" --exit-code 2 || got=$?
	same "exit code" "$got" 2
	same "output" "$(cat out)" "as ever"
	load "$T/c.cadv"
	[ "$(of '[.diagnostics[] | select(.remedy != null and .remedy !=
	    "")] | length')" -gt 0 ] || fail "no remedy"
}
