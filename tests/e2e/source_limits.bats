# The source tier under difficulties: options, a second device, full buffers,
# few launches, invalid code, the program's end.

load code	# first: common has a load of its own
load common

@test "--no-counters samples, and measures no single launch" {
	options="$patient --level source --no-counters"
	MOCK_TRACE=$T/calls measure --kernels 3000 --signatures 4 --kernel-us 20
	same "windows" "$(grep -c -E '^cupti(SassMetrics|RangeProfiler)' calls)" 0
	load
	has_launches 3000 4
	same "sampled" "$(of .run.source.kernels_sampled)" 4
	same "counted" "$(of .run.source.kernels_counted)" 0
	of '.kernels[].not_measured' | grep -v 'counters were not asked for' &&
	    fail "$(of '[.kernels[].not_measured]')"
	source_of kernel0
	same "sampled" "$(code .sampled)" true
	same "counted" "$(code .counted)" false
}

@test "two devices: one cubin, the counts of each" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	measure --kernels 1500 --signatures 3 --threads 2 --contexts 2 \
	    --kernel-us 50
	load "$T/c.cadv"
	same "launches" "$(of .run.launches)" 3000
	same "devices" "$(of '.run.devices | length')" 2
	# The two windows exclude each other: one may have taken all the time.
	[ "$(of .run.source.kernels_counted)" -ge 3 ] ||
	    fail "$(of .run.source)"
	for id in $(of '.kernels[] | select(.mangled == "_Z7kernel2Pf") |
	    .id'); do
		source_of "$id" --run c.cadv
		[ "$(code .counted)" = false ] ||
		    counted smsp__sass_inst_executed inst 2
	done
}

@test "the buffer for samples runs over: said, and nothing else is lost" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	MOCK_SAMPLING_FULL=1 measure --kernels 3000 --signatures 4 \
	    --kernel-us 50 --exit-code 5 && fail "exit code 0"
	load "$T/c.cadv"
	has_launches 3000 4
	same "exit code" "$(of .run.exit_code)" 5
	same "counted" "$(of .run.source.kernels_counted)" 4
	same "said" "$(of '[.diagnostics[] | select(.code ==
	    "sampling_full")] | length')" 1
}

@test "samples that the hardware drops are counted" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	MOCK_SAMPLING_DROP=1000 measure --kernels 3000 --signatures 4 \
	    --kernel-us 50
	load "$T/c.cadv"
	[ "$(of .run.source.samples_dropped)" -ge 1000 ] ||
	    fail "$(of .run.source)"
}

@test "if SASS metrics cannot be combined with counters, the rest is measured" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	MOCK_EXCLUSIVE=1 measure --kernels 2000 --signatures 4 --kernel-us 50 \
	    --exit-code 2 && fail "exit code 0"
	load "$T/c.cadv"
	has_launches 2000 4
	same "measured" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 4
	[ "$(of '[.diagnostics[] | select(.code == "source_failed" and
	    .remedy != null)] | length')" -ge 1 ] || fail "$(of .diagnostics)"
}

@test "a program of a few launches gets some of everything" {
	local pause
	options="$patient --level source --no-daemon -o $T/c.cadv"
	# A thread switches the profiler in the pauses: on a busy machine they
	# must be longer for it to run.
	for pause in 5000 20000 80000; do
		measure --kernels 24 --signatures 2 --kernel-us 30 \
		    --pause-us $pause
		load "$T/c.cadv"
		has_launches 24 2
		got=$(of '[.run.source.kernels_sampled,
		    .run.source.kernels_counted, ([.kernels[] |
		    select(.metrics_complete)] | length)] | join(" ")')
		[ "$got" != "2 2 2" ] || return 0
		rm c.cadv
	done
	fail "sampled, counted, complete: $got, not 2 2 2"
}

# PC sampling cannot attribute samples to a function that a window has measured before.
@test "a kernel that is launched once is sampled" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	measure --kernels 3 --signatures 3 --kernel-us 30
	load "$T/c.cadv"
	has_launches 3 3
	same "with counters" "$(of '[.kernels[] | select(.headline.occupancy |
	    .source == "measured" and .value != null)] | length')" 0
	same "sampled" "$(of .run.source.kernels_sampled)" 3
}

@test "--replay: a kernel that is launched once gets all counters" {
	options="$patient --replay --no-daemon -o $T/c.cadv"
	measure --kernels 3 --signatures 3 --kernel-us 30
	load "$T/c.cadv"
	has_launches 3 3
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 3
}

@test "--replay at level source: counters and counts, no samples" {
	options="$patient --level source --replay --no-daemon -o $T/c.cadv"
	measure --kernels 12 --signatures 2 --kernel-us 30
	load "$T/c.cadv"
	has_launches 12 2
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 2
	same "counted" "$(of .run.source.kernels_counted)" 2
	same "sampled" "$(of .run.source.samples)" 0
}

@test "with any bytes as a cubin the program and the daemon go on" {
	options="$patient --level source"
	cubin=$BATS_TEST_DIRNAME/../mock/kernels.cubin
	head -c 40000 /dev/urandom >random
	: >empty
	for n in 64 1000 20000 36000; do
		head -c $n "$cubin" >cut.$n
	done
	# Section headers with random offsets.
	head -c $(($(stat -c %s "$cubin") - 2048)) "$cubin" >damaged
	head -c 2048 /dev/urandom >>damaged
	for f in random empty cut.* damaged; do
		MOCK_CUBIN=$T/$f measure --kernels 1000 --signatures 8 --kernel-us 20 \
		    --stdout "$f" --exit-code 4 && fail "$f: exit code 0"
		same "$f: output" "$(cat out)" "$f"
		load
		has_launches 1000 8
		"$bin/cudadvise" annotate kernel7 >text ||
		    fail "$f: annotate: $?"
		"$bin/cudadvise" daemon status >/dev/null || fail "$f: daemon"
	done
}

@test "however a program ends at source level, its records are complete" {
	options="$patient --level source"
	measure --kernels 1000 --kernel-us 50 --_exit --exit-code 9 || got=$?
	same "exit code" "$got" 9
	load
	same "launches" "$(of .run.launches)" 1000
	same "counted" "$(of .run.source.kernels_counted)" 4
	measure --kernels 1000 --kernel-us 50 --exit-in-thread --exit-code 6 ||
	    got=$?
	same "exit code" "$got" 6
	load
	same "launches" "$(of .run.launches)" 1000
	same "sampled" "$(of .run.source.kernels_sampled)" 4
	measure --kernels 1000 --kernel-us 50 --sigkill --sleep-ms 1500 ||
	    got=$?
	same "exit code" "$got" 137
	load
	same "launches" "$(of .run.launches)" 1000
	same "counted" "$(of .run.source.kernels_counted)" 4
	measure --kernels 300 --fork --stdout parent
	same "output" "$(tr '\n' ' ' <out)" "parent child "
}

# A disassembler that knows a single instruction.
make_disassembler() {
	cat >"$T/tool" <<'EOF'
#!/bin/sh
[ "$1" = --version ] && { echo "release 13.0, V13.0.85"; exit; }
[ "$1 $2 $3" = "-b SM90 -json" ] || exit 9
awk -v n=$(($(stat -c %s "$4") / 16)) 'BEGIN {
	printf "[{},[{\"function-name\":\"Unknown\",\"start\":0,"
	printf "\"sass-instructions\":["
	for (i = 0; i < n; i++)
		printf "%s{\"opcode\":\"NOP\"}", (i == 0 ? "" : ",")
	print "]}]]"
}'
EOF
	chmod 755 "$T/tool"
}

@test "a capture without a daemon holds its disassembly; no other is touched" {
	make_disassembler
	options="$patient --level source --no-daemon -o $T/c.cadv"
	CUDADVISE_NVDISASM=$T/tool measure --kernels 1000 --signatures 4 \
	    --kernel-us 50
	CUDADVISE_NVDISASM= source_of kernel2 --run c.cadv
	same "disassembled" "$(code .disassembled)" true
	same "opcodes" "$(code '[.instructions[].text] | unique | .[]')" NOP
	CUDADVISE_NVDISASM= measure --kernels 1000 --signatures 4 \
	    --kernel-us 50
	cp c.cadv other.cadv
	CUDADVISE_NVDISASM=$T/tool source_of kernel2 --run c.cadv
	same "disassembled" "$(code .disassembled)" true
	cmp c.cadv other.cadv || fail "it was written to"
	CUDADVISE_NVDISASM= source_of kernel2 --run c.cadv
	same "disassembled" "$(code .disassembled)" false
}

@test "code that was neither sampled nor counted is there" {
	make_disassembler
	options="$patient --level source --no-counters --no-daemon -o $T/c.cadv"
	CUDADVISE_NVDISASM=$T/tool MOCK_REFUSE=cuptiPCSamplingEnable=1 \
	    measure --kernels 300 --signatures 9 --kernel-us 20 || true
	load "$T/c.cadv"
	has_launches 300 9
	same "sampled" "$(of .run.source.kernels_sampled)" 0
	same "counted" "$(of .run.source.kernels_counted)" 0
	source_of kernel7 --run c.cadv
	same "counted" "$(code .counted)" false
	same "why" "$(code .missing.counts)" \
	    "counters were not asked for (run it at the default level)"
	same "disassembled" "$(code .disassembled)" true
	[ "$(code '.lines | length')" -gt 3 ] || fail "no lines of kernel7"
	source_of kernel8 --run c.cadv	# it has no code
	same "disassembled" "$(code .disassembled)" false
}

# On a GPU the program crashed when its last context was destroyed. Two contexts
# share a device: CUPTI can have its profiler in only one of them at a time.
@test "the configuration of counts is removed before its context is destroyed" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	for try in 1 2 3; do	# a busy machine may leave no idle moment
		MOCK_TRACE=$T/calls measure --kernels 6000 --signatures 3 \
		    --contexts 4 --threads 4 --kernel-us 50
		load "$T/c.cadv"
		# The same kernels run in two contexts of a device, which are
		# configured one at a time.
		same "refused" "$(of '[.diagnostics[] | select(.code ==
		    "source_failed" or .code == "call_failed")] |
		    length')" 0
		same "forgotten" "$(grep -c '^cuptiSassMetricsUnsetConfig' \
		    calls)" "$(grep -c '^cuptiSassMetricsSetConfig' calls)"
		[ "$(of .run.source.kernels_counted)" -lt 3 ] || return 0
		rm calls c.cadv
	done
	fail "$(of .run.source)"
}

@test "the code of kernels is kept at every level but trace" {
	own_cubin
	make_disassembler
	export CUDADVISE_NVDISASM=$T/tool
	options="$patient --level counters"
	measure --kernels 1500 --signatures 8 --kernel-us 20
	source_of kernel7
	[ "$(code '.files | length')" -gt 0 ] || fail "no files: $(cat code.json)"
	same "source text kept" "$(code '[.files[] | select(.captured)] | length')" 0
	same "its lines are named" "$(code .has_lines)" true
	same "counted" "$(code .counted)" false
	options="$patient --level trace"
	measure --kernels 1500 --signatures 8 --kernel-us 20
	source_of kernel7
	same "its lines are named, traced only" "$(code .has_lines)" false
}
