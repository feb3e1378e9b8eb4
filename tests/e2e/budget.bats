# --overhead-budget: measuring that costs more than the budget stops, reports
# that, and leaves nothing turned on. The mock's CUPTI calls are slowed down
# (MOCK_SLOW). For setting up, every budget allows 2.5 s once, at level source
# 5.5 s (injection/budget.c).

load common

# calls FUNCTION: the number of calls of this CUPTI function.
calls() {
	grep -c -x "$1" "$T/trace"
}

# after FUNCTION OTHER: the number of calls of OTHER after the last call of FUNCTION.
after() {
	awk -v from="$1" -v count="$2" '$0 == from { n = 0 } $0 == count { n++ }
	    END { print n + 0 }' "$T/trace"
}

@test "without a budget nothing is measured, and what is begun fits into it" {
	export MOCK_TRACE=$T/trace
	for level in counters source; do
		options="--level $level --overhead-budget 0"
		measure --kernels 400 --signatures 4
		load
		has_launches 400 4
		! grep -E "cupti(RangeProfiler|PCSampling|SassMetrics)Enable" \
		    trace || fail "$level: measured without a budget"
		same "diagnostics" "$(of '[.diagnostics[] | select(.code ==
		    "budget")] | length')" 1
		rm trace
	done
}

@test "a measurement that takes longer than --max-stall is not begun" {
	export MOCK_START_MS=150	# a window; setting up takes two
	options="--level counters"
	measure --kernels 400 --signatures 4
	load
	has_launches 400 4
	# The first window shows how long one takes.
	[ "$(of .run.overhead.profiled_launches)" -le 1 ] ||
	    fail "$(of .run.overhead)"
	of '.kernels[].not_measured' | grep -q "max-stall" || fail "no reason"
	same "limit" "$(of .run.overhead.held.limit_s)" 0.1
	options="--level counters --max-stall 2000"
	measure --kernels 400 --signatures 4
	load
	[ "$(of .run.overhead.profiled_launches)" -ge 1 ] ||
	    fail "$(of .run.overhead)"
	same "limit" "$(of .run.overhead.held.limit_s)" 2
	of .run.overhead.held | jq -e '.longest_s > 0.15 and
	    .setup_s > 0.15' || fail "$(of .run.overhead.held)"
}

@test "counters stop when the budget is used up, and the run says so" {
	options="--level counters --overhead-budget 0.01 --max-stall 1000"
	export MOCK_TRACE=$T/trace
	export MOCK_SLOW=cuptiProfilerHostEvaluateToGpuValues=400
	# 40 kernels never get all counters: 40 windows would take 16 s.
	measure --kernels 4000 --signatures 40 --pause-us 500 --stdout x \
	    --exit-code 3 || got=$?
	same "exit code" "$got" 3
	same "output" "$(cat out)" x
	load
	has_launches 4000 40
	n=$(of .run.overhead.profiled_launches)
	# 2.5 s allow 6 windows; the window that is open at that time is the last.
	[ "$n" -ge 5 ] && [ "$n" -le 8 ] || fail "$n launches were profiled"
	same "windows" "$(calls cuptiProfilerHostEvaluateToGpuValues)" "$n"
	same "diagnostics" "$(of '[.diagnostics[] | select(.code ==
	    "budget")] | length')" 1
	same "remedy" "$(of '.diagnostics[] | select(.code == "budget") |
	    .remedy')" "raise --overhead-budget"
	same "budget" "$(of .run.overhead.budget_ratio)" 0.0001
	jq -e '.run.overhead.by.counters_s > 1.9 and
	    .run.overhead.by.counters_s < 6' run.json ||
	    fail "$(of .run.overhead)"
	# Kernels without counters give the reason; the others keep what was measured.
	[ "$(of '[.kernels[] | select(.not_measured |
	    . != null and contains("overhead budget"))] | length')" -ge 30 ] ||
	    fail "$(of '[.kernels[].not_measured] | unique')"
	same "with values" "$(of '[.kernels[] | select(.headline.occupancy.value
	    != null)] | length > 0')" true
	grep -q "overhead budget was used up" report || fail "not in the report"
}

@test "launches that the budget has nothing left for are let through" {
	options="--level counters --overhead-budget 0.01 --max-stall 1000"
	export MOCK_TRACE=$T/trace
	export MOCK_SLOW=cuptiProfilerHostEvaluateToGpuValues=600
	measure --kernels 24000 --signatures 10 --pause-us 100
	load
	has_launches 24000 10
	[ "$(of '[.kernels[] | select(.not_measured)] | length')" -ge 4 ] ||
	    fail "all were measured"
	# A launch that is looked at changes the mode of captures, and changes it back.
	# That goes on for a second, in which kernels with the headline wait for others
	# (SETTLED_NS in plan.c).
	[ "$(calls cuThreadExchangeStreamCaptureMode)" -lt 24000 ] ||
	    fail "$(calls cuThreadExchangeStreamCaptureMode) changes of mode"
}

@test "the idle range profiler is disabled after the budget is used up, too" {
	options="--level counters --overhead-budget 0.01 --max-stall 1000"
	export MOCK_TRACE=$T/trace
	export MOCK_SLOW=cuptiProfilerHostEvaluateToGpuValues=400
	# The target is killed, so that no destroyed context disables the profiler.
	measure --kernels 3000 --signatures 40 --pause-us 1000 --sigkill ||
	    got=$?
	same "exit code" "$got" 137
	same "left on" "$(($(calls cuptiRangeProfilerEnable) -
	    $(calls cuptiRangeProfilerDisable)))" 0
	same "disabled after the last window" "$(after cuptiRangeProfilerStop \
	    cuptiRangeProfilerDisable)" 1
	same "enabled again" "$(after cuptiRangeProfilerDisable \
	    cuptiRangeProfilerEnable)" 0
}

@test "a larger budget measures more" {
	export MOCK_SLOW=cuptiProfilerHostEvaluateToGpuValues=200
	options="--level counters --overhead-budget 0.01 --max-stall 1000"
	measure --kernels 2000 --signatures 60 --pause-us 1500
	load
	few=$(of .run.overhead.profiled_launches)
	options="--level counters --overhead-budget 1000 --max-stall 1000"
	measure --kernels 2000 --signatures 60 --pause-us 1500
	load
	many=$(of .run.overhead.profiled_launches)
	[ "$many" -ge $((3 * few)) ] || fail "$many, and with none $few"
	same "diagnostics" "$(of '[.diagnostics[] | select(.code ==
	    "budget")] | length')" 0
	! grep -q "overhead budget" report || fail "$(cat report)"
}

@test "counting by instruction stops as well" {
	options="--level source --overhead-budget 0.01 --max-stall 5000"
	export MOCK_TRACE=$T/trace MOCK_SLOW=cuptiSassMetricsFlushData=2000
	measure --kernels 3000 --signatures 8 --kernel-us 20 --pause-us 500
	load
	has_launches 3000 8
	n=$(of .run.source.launches)
	[ "$n" -ge 1 ] && [ "$n" -le 4 ] || fail "$n launches were counted"
	same "flushed" "$(calls cuptiSassMetricsFlushData)" "$n"
	same "counted" "$(of .run.source.kernels_counted)" "$n"
	same "diagnostics" "$(of '[.diagnostics[] | select(.code ==
	    "budget")] | length')" 1
	"$bin/cudadvise" show -v $([ ! -f c.cadv ] || echo c.cadv) |
	    grep -q "by line: $n of 8 kernels counted" ||
	    fail "not in the report"
	# Kernels that were not counted must not be judged clean.
	same "judged by lines" "$(of '[.findings.rules[] | select(.rule ==
	    "array-of-structures") | .not_measured] | .[0] > 0')" true
	same "left on" "$(($(calls cuptiRangeProfilerEnable) -
	    $(calls cuptiRangeProfilerDisable)))" 0
}

@test "the kernel that takes the time is measured before the budget is used up" {
	# The budget allows only 25 windows; kernel39 takes 98 % of the time and
	# comes last in each round.
	export MOCK_SLOW=cuptiProfilerHostEvaluateToGpuValues=100
	options="--level counters --overhead-budget 0.01 --max-stall 1000"
	measure --kernels 4000 --signatures 40 --pause-us 500 --heavy-us 10000
	load
	has_launches 4000 40
	same "it is complete" "$(of '.kernels[] | select(.mangled ==
	    "_Z8kernel39Pf") | .metrics_complete')" true
	[ "$(of .run.overhead.profiled_launches)" -le 26 ] ||
	    fail "$(of .run.overhead)"
}
