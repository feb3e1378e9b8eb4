# --kernel and --launches restrict what is measured. Everything is traced.

load common

calls() {
	grep -c -x "$1" "$T/trace"
}

measured() {
	of '[.kernels[] | select(.measured != "none") | .mangled] | sort |
	    join(" ")'
}

@test "--kernel: only kernels whose name matches are measured" {
	options="--kernel ^kernel[13]\$"
	measure --kernels 400 --signatures 5 --stdout x --exit-code 3 || got=$?
	same "exit code" "$got" 3
	same "output" "$(cat out)" x
	load
	has_launches 400 5
	same "measured" "$(measured)" "_Z7kernel1Pf _Z7kernel3Pf"
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 2
	same "why not the others" "$(of '[.kernels[].not_measured] |
	    unique | map(select(. != null)) | join(", ")')" \
	    "excluded by --kernel"
	grep -q "excluded by --kernel" report || fail "not in the report"
	# The pattern also matches the mangled name.
	options="--kernel 7kernel2P"
	measure --kernels 400 --signatures 5
	load
	same "measured" "$(measured)" _Z7kernel2Pf
}

@test "--kernel that matches nothing: CUPTI's profilers are left alone" {
	export MOCK_TRACE=$T/trace
	for level in counters source; do
		options="--level $level --kernel nothing"
		measure --kernels 400 --signatures 5
		load
		has_launches 400 5
		same "measured" "$(measured)" ""
		! grep -E "cupti(RangeProfiler|PCSampling|SassMetrics)Enable" \
		    trace || fail "$level: turned on"
	done
}

@test "--kernel at level source: only these are counted by instruction" {
	options="--level source --kernel kernel[02]"
	measure --kernels 2000 --signatures 4 --kernel-us 20 --pause-us 100
	load
	has_launches 2000 4
	same "counted" "$(of .run.source.kernels_counted)" 2
	same "measured" "$(measured)" "_Z7kernel0Pf _Z7kernel2Pf"
}

@test "--launches: only these launches of each kernel are measured" {
	options="--launches 5:5"
	measure --kernels 400 --signatures 4
	load
	has_launches 400 4
	same "profiled" "$(of .run.overhead.profiled_launches)" 4
	same "with time" "$(of '[.kernels[] | select(.measured == "part")] |
	    length')" 4
	same "why not all" "$(of '[.kernels[].not_measured] | unique |
	    join(", ")')" "--launches asks for other launches, or too few"
	options="--launches 1000:2000"
	measure --kernels 400 --signatures 4
	load
	same "profiled" "$(of .run.overhead.profiled_launches)" 0
	same "measured" "$(measured)" ""
	# --launches counts the launches of the kernels that --kernel selects.
	options="--kernel kernel[13] --launches 5:5"
	measure --kernels 400 --signatures 4
	load
	same "profiled" "$(of .run.overhead.profiled_launches)" 2
	same "measured" "$(measured)" "_Z7kernel1Pf _Z7kernel3Pf"
	options="--launches 11:100"
	measure --kernels 400 --signatures 4
	load
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 4
}

@test "the profiler is disabled after the last of --launches, at level source sampling too" {
	export MOCK_TRACE=$T/trace
	options="--level source --launches 1:30"
	measure --kernels 3000 --signatures 2 --pause-us 1000 --sigkill || got=$?
	same "exit code" "$got" 137
	load
	for what in RangeProfiler PCSampling; do
		same "$what left on" "$(($(calls cupti${what}Enable) -
		    $(calls cupti${what}Disable)))" 0
	done
}
