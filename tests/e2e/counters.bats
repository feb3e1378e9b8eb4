# Which counters a kernel gets: at its first launch those under [headline], which
# most findings need; in further launches the others, by another configuration of
# the range profiler, to which it is switched once (injection/plan.c).

load common

# metric KERNEL NAME: the value of a counter, or null.
metric() {
	local api id kid
	api=$(find "$CUDADVISE_RUNTIME_DIR" -name api.sock)
	id=$(of .run.id)
	kid=$(of ".kernels[] | select(.mangled == \"$1\") | .id")
	curl -sf --unix-socket "$api" \
	    "http://localhost/api/v1/runs/$id/kernels/$kid/metrics" |
	    jq --arg n "$2" '(.items // .)[] | select(.name == $n) | .value'
}

# calls FUNCTION: the number of calls of this CUPTI function.
calls() {
	grep -c -x "$1" "$T/trace"
}

# The names under [headline] for the mock's chip, for which none is left out.
headline() {
	sed -n '/^\[headline\]/,/^\[/{/^[[#]/d; /^$/d; s/ .*//; p}' \
	    "$CUDADVISE_DATA_DIR/metrics/counters.metrics"
}

@test "a kernel that is launched once has all headline counters" {
	options=
	measure --kernels 3 --signatures 3
	load
	headline >names
	[ "$(wc -l <names)" -ge 15 ] || fail "$(cat names)"
	while read -r name; do
		got=$(metric _Z7kernel1Pf "$name")
		[ -n "$got" ] && [ "$got" != null ] || fail "$name: '$got'"
	done <names
	same "instructions" "$(metric _Z7kernel1Pf smsp__inst_executed.sum)" \
	    "$("$target" --value smsp__inst_executed.sum _Z7kernel1Pf |
	    jq .)"
	# No other counters were attempted, and the reason is given.
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 0
	same "reasons" "$(of '[.kernels[].not_measured] | unique | .[]')" \
	    "too few launches (use --replay)"
}

@test "a chip has all counters but those that the list leaves out for its family" {
	options=
	MOCK_CHIP=TU104 measure --kernels 3 --signatures 3
	load
	[ "$(metric _Z7kernel1Pf smsp__inst_executed.sum)" -gt 0 ] ||
	    fail "no counters"
	grep -q '^l1tex__data_pipe_lsu_wavefronts.sum .*!tu1' \
	    "$CUDADVISE_DATA_DIR/metrics/counters.metrics"
	same "wavefronts" \
	    "$(metric _Z7kernel1Pf l1tex__data_pipe_lsu_wavefronts.sum)" null
}

@test "a counter that CUPTI does not know is left out, and no other" {
	options=
	cp -r "$CUDADVISE_DATA_DIR" "$T/data"
	sed -i 's/^gpu__time_duration.sum/unknown.sum\n&/' \
	    "$T/data/metrics/counters.metrics"
	CUDADVISE_DATA_DIR=$T/data measure --kernels 3 --signatures 3
	load
	headline >names
	while read -r name; do
		[ "$(metric _Z7kernel1Pf "$name")" != null ] || fail "$name"
	done <names
}

# On H200s opening the first window took 14 ms, and in one of twenty runs 94, of the
# 100 that a hold may take. (Here four times as much of each, for busy machines.)
@test "no kernel loses its counters to a profiler or code that is slow to start" {
	options="--no-daemon --max-stall 400 -o $T/c.cadv"
	for slow in cuptiRangeProfilerStart=340@2 cuFuncGetAttribute=160; do
		MOCK_SLOW=$slow measure --kernels 30 --signatures 3 --kernel-us 500
		load "$T/c.cadv"
		same "$slow: with the headline" "$(of '[.kernels[] |
		    select(.headline.occupancy.value != null)] | length')" 3
		! of '.kernels[].not_measured' | grep max-stall || fail "$slow"
	done
}

@test "a kernel that a hold is too short for is measured while the next launch is held" {
	options="--no-daemon -o $T/c.cadv"
	MOCK_SLOW=cuptiRangeProfilerStart=45@2 measure --kernels 4 --signatures 1 \
	    --kernel-us 80000
	load "$T/c.cadv"
	[ "$(of '.kernels[0].headline.occupancy.value')" != null ] ||
	    fail "$(of '.kernels[0].not_measured')"
}

@test "repeated kernels have all counters: the profiler is switched once, reported as set-up" {
	export MOCK_TRACE=$T/trace
	MOCK_SLOW=cuptiRangeProfilerEnable=80 measure --kernels 400 --signatures 4
	load
	has_launches 400 4
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 4
	same "turned on" "$(calls cuptiRangeProfilerEnable)" 2
	# One window for each pass of each kernel, and no more.
	n=$(of .run.overhead.profiled_launches)
	[ "$n" -ge 8 ] && [ "$n" -le 24 ] || fail "$n launches were profiled"
	# (Under a sanitizer, on a busy machine, the wait at the exit for a profiler that is
	# turned off takes longer.)
	of .run.overhead.held | jq -e --arg sanitize "${E2E_SANITIZE:-}" '.setup_s > 0.16 and
	    (.longest_s < 0.08 or $sanitize != "")' || fail "$(of .run.overhead.held)"
}

@test "--replay: one configuration has all counters" {
	export MOCK_TRACE=$T/trace
	options="$patient --replay"
	measure --kernels 3 --signatures 3
	load
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 3
	same "turned on" "$(calls cuptiRangeProfilerEnable)" 1
}

@test "the profiler is not switched inside a capture, nor while new kernels appear" {
	export MOCK_TRACE=$T/trace
	options=
	# Each kernel is new: there is no reason to switch.
	measure --kernels 30 --signatures 30
	load
	same "turned on" "$(calls cuptiRangeProfilerEnable)" 1
	: >trace
	measure --kernels 4000 --signatures 4 --captures 200
	load
	! grep "^captured" trace || fail "inside a capture"
	! grep "^unrelaxed" trace || fail "in another thread's"
}

@test "a program with graphs keeps its profiler after counts by instruction" {
	options="$patient"
	export MOCK_TRACE=$T/trace
	measure --kernels 2000 --signatures 4 --pause-us 300
	same "configurations" "$(grep -c -x cuptiRangeProfilerEnable trace)" 2
	rm trace
	measure --kernels 2000 --signatures 4 --pause-us 300 --captures 2 --sigkill ||
	    got=$?
	same "exit code" "$got" 137
	[ "$(grep -c -x cuptiSassMetricsEnable trace)" -ge 1 ] || fail "not counted"
	same "enabled" "$(grep -c -x cuptiRangeProfilerEnable trace)" 1
	same "disabled" "$(grep -c -x cuptiRangeProfilerDisable trace)" 0
	measure --kernels 2000 --signatures 4 --pause-us 300 --captures 2
	load
	[ "$(of '[.kernels[] | select(.not_measured | . != null and
	    contains("runs CUDA graphs"))] | length')" -ge 4 ] ||
	    fail "$(of '[.kernels[].not_measured] | unique')"
	options="$patient --level counters"
	rm trace
	measure --kernels 2000 --signatures 4 --pause-us 300 --captures 2
	same "configurations without such counts" "$(grep -c -x \
	    cuptiRangeProfilerEnable trace)" 2
}

@test "kernels of graphs only have no counters, and the report says why" {
	options=
	measure --kernels 0 --graphs 20 --signatures 2 --kernel-us 20
	grep -q "launched by CUDA graphs only" report || fail "not said"
	load
	same "counters" "$(of '[.kernels[].not_measured // "none" |
	    startswith("launched by CUDA graphs only")] | unique | .[]')" true
}

@test "the switch of configurations fits the budget, or is not made" {
	export MOCK_TRACE=$T/trace
	options="--level counters --overhead-budget 0.01"
	# The set-up and the switch take at least 1.3 s each; 2.5 s are allowed.
	MOCK_SLOW=cuptiRangeProfilerEnable=1300 \
	    measure --kernels 2000 --signatures 2 --pause-us 100
	load
	same "turned on" "$(calls cuptiRangeProfilerEnable)" 1
	same "instructions" "$(metric _Z7kernel1Pf smsp__inst_executed.sum)" \
	    "$("$target" --value smsp__inst_executed.sum _Z7kernel1Pf | jq .)"
	of '.kernels[].not_measured' | grep -q "budget" || fail "no reason"
}

@test "a kernel first seen after the switch has the other counters, and the report says so" {
	options=$patient
	measure --kernels 400 --signatures 4 --then 20
	load
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 4
	same "time of the late one" "$(metric _Z7kernel4Pf \
	    gpu__time_duration.sum)" null
	# Exact, because it is counted by patched code, which is in the second
	# configuration.
	same "its instructions" "$(metric _Z7kernel4Pf \
	    smsp__inst_executed.sum)" "$("$target" --value \
	    smsp__sass_inst_executed.sum _Z7kernel4Pf | jq .)"
	same "why" "$(of '.kernels[] | select(.mangled == "_Z7kernel4Pf") |
	    .not_measured')" \
	    "it first ran when the main counters of the others had been counted (use --replay, or --kernel)"
}

@test "a kernel that comes later and repeats has all: the disabled profiler is enabled again" {
	options=$patient
	measure --kernels 400 --signatures 4 --then 3500 --pause-us 1000
	load
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 5
}

@test "a kernel that is long but rare is measured at its next launch" {
	options=
	measure --kernels 30 --signatures 30 --then 10 --pause-us 60000 \
	    --heavy-us 5000
	load
	has_launches 40 31
	got=$(metric _Z8kernel30Pf gpu__time_duration.sum)
	[ -n "$got" ] && [ "$got" != null ] || fail "$(of '.kernels[] |
	    select(.mangled == "_Z8kernel30Pf") | .not_measured')"
}

@test "ab: the first run of each program is made for its counters, the others are traced" {
	export MOCK_TRACE=$T/trace
	# This test does not ask whether the programs are equally fast: 3 is
	# "inconclusive".
	ab() {
		: >trace
		"$bin/cudadvise" ab "$@" --runs 1 --json -- "$target" --kernels 9 \
		    -- "$target" --kernels 9 >trial.json 2>report ||
		    [ $? -ne 2 ] || fail "ab"
		same "level of what is compared" \
		    "$(jq -r .conditions.base.level trial.json)" trace
	}
	ab
	same "processes that were counted" "$(grep -c -x \
	    cuptiProfilerInitialize trace)" 2
	ab --level trace
	same "processes that were counted" "$(grep -c -x \
	    cuptiProfilerInitialize trace)" 0
}
