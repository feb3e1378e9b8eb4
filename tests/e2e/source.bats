# Instruction by instruction: counts, samples, lines, source text, from the
# device's code to the report. The mock's kernel0 to kernel7 have code
# (tests/mock/kernels.cu), the others none.

load common

# source_of KERNEL [OPTION…]: what there is about its code, in code.json.
source_of() {
	"$bin/cudadvise" annotate --json --sass "$@" >code.json
}

code() {
	jq -r "$1" code.json
}

# counted METRIC NAME KERNEL: the counts of each instruction are the device's.
counted() {
	"$target" --sass "$1" "$3" | awk '$2 > 0' >want
	jq -r ".instructions[] | select(.values.$2 > 0) |
	    \"\(.pc) \(.values.$2)\"" code.json >got
	[ "$2" != inst ] || [ -s want ] || fail "no instruction counted"
	diff want got || fail "kernel$3: $1"
}

# The cubin with its sources in this directory, which is as long as theirs.
own_cubin() {
	cp "$BATS_TEST_DIRNAME"/../mock/{kernels.cu,index.cuh,sums.cuh} "$T"
	LC_ALL=C sed "s#/opt/example/kernels#$T#g" \
	    "$BATS_TEST_DIRNAME/../mock/kernels.cubin" >"$T/own.cubin"
	same "length" "$(stat -c %s "$T/own.cubin")" \
	    "$(stat -c %s "$BATS_TEST_DIRNAME/../mock/kernels.cubin")"
	export MOCK_CUBIN=$T/own.cubin
}

@test "every instruction's counts are the device's, and the trace is whole" {
	options="--level source"
	measure --kernels 2000 --signatures 8 --kernel-us 20 --stdout x --exit-code 3 ||
	    got=$?
	same "exit code" "$got" 3
	same "output" "$(cat out)" x
	load
	has_launches 2000 8
	same "counted" "$(of .run.source.kernels_counted)" 8
	# Of more than a few kernels only those that matter get everything.
	[ "$(of '[.kernels[] | select(.metrics_complete)] | length')" -ge 6 ] ||
	    fail "$(of '[.kernels[].not_measured]')"
	for k in 0 1 2 3 4 5 6 7; do
		source_of kernel$k
		counted smsp__sass_inst_executed inst $k
		counted smsp__sass_thread_inst_executed_pred_on threads_on $k
		counted smsp__sass_sectors_mem_global global_sectors $k
		counted smsp__sass_sectors_mem_global_ideal global_ideal $k
		counted smsp__sass_sectors_mem_local local_sectors $k
		counted smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared \
		    shared_wavefronts $k
		counted smsp__sass_branch_targets_threads_divergent \
		    branch_divergent $k
	done
	grep -q "by line: 8 of 8 kernels" report || fail "not in the report"
}

@test "an inlined line belongs to its header, below the call" {
	options="--level source"
	measure --kernels 1500 --signatures 8 --kernel-us 20
	source_of kernel7
	same "loads inlined twice" "$(code '. as $c | [.lines[] |
	    select(.values.global_ld > 0) | [., $c.lines[.inlined_at],
	    $c.lines[$c.lines[.inlined_at].inlined_at]] |
	    map("\(.file as $f | $c.files[] | select(.index == $f) |
	    .path | sub(".*/"; "")):\(.line)") | join(" < ")] | unique |
	    join(", ")')" "index.cuh:11 < sums.cuh:8 < kernels.cu:90"
	same "sum over the lines" "$(code '[.lines[].values.global_sectors //
	    0] | add')" "$(code .totals.values.global_sectors)"
	same "of the kernel" "$(code '.totals.values.inst')" \
	    "$("$target" --sass smsp__sass_inst_executed 7 |
	    awk '{ n += $2 } END { print n }')"
	"$bin/cudadvise" annotate kernel7 >text
	grep -q 'index.cuh' text && grep -q 'sums.cuh' text ||
	    fail "$(cat text)"
}

@test "the source text is kept as it was" {
	own_cubin
	options="--level source"
	measure --kernels 1500 --signatures 8 --kernel-us 20
	source_of kernel7
	same "captured" "$(code '[.files[] | select(.captured)] | length')" 3
	sed -i 's/strided/changed/; 1i // a line' index.cuh
	"$bin/cudadvise" annotate kernel7 >text
	grep -q 'return (p\[i \* stride\]);' text || fail "$(cat text)"
	! grep -q changed text || fail "the text of today: $(cat text)"
	rm -f ./*.cu ./*.cuh
	"$bin/cudadvise" export --format capture -o c.cadv "$(load &&
	    of .run.id)"
	"$bin/cudadvise" annotate --run c.cadv kernel7 >text
	grep -q 'return (p\[i \* stride\]);' text || fail "$(cat text)"
}

@test "the kernels of a graph are sampled" {
	options="--level source"
	measure --kernels 0 --graphs 200 --signatures 4 --kernel-us 20
	load
	has_launches 800 4
	same "sampled" "$(of .run.source.kernels_sampled)" 4
	same "by themselves" "$(of '[.kernels[] | select(.measured !=
	    "none")] | length')" 0
	source_of kernel1
	[ "$(code .totals.samples.all)" -gt 100 ] ||
	    fail "$(code .totals.samples.all) samples"
	# After single launches there is one more episode, for them.
	measure --kernels 400 --graphs 100 --signatures 4 --kernel-us 20 \
	    --pause-us 100
	load
	has_launches 800 4
	same "counted" "$(of .run.source.kernels_counted)" 4
}

@test "samples of all launches, with why the warps wait" {
	options="--level source"
	measure --kernels 2000 --signatures 8 --kernel-us 20
	load
	has_launches 2000 8
	same "sampled" "$(of .run.source.kernels_sampled)" 8
	[ "$(of .run.source.samples)" -gt 1000 ] ||
	    fail "$(of .run.source.samples) samples"
	for k in 1 4; do
		source_of kernel$k
		same "by reason" "$(code '[.totals.samples.stalls[]] | add')" \
		    "$(code .totals.samples.all)"
		same "by line" "$(code '[.lines[].samples.all] | add')" \
		    "$(code .totals.samples.all)"
		same "by instruction" "$(code '[.instructions[].samples.all] |
		    add')" "$(code .totals.samples.all)"
		[ "$(code .totals.samples.not_issued)" -gt 0 ] ||
		    fail "none without an issue"
	done
}

@test "the daemon, its capture and a new analysis say the same of the code" {
	options="--level source"
	measure --kernels 1500 --signatures 9 --kernel-us 20
	load
	id=$(of .run.id)
	"$bin/cudadvise" export "$id" --format capture -o c.cadv
	for k in 0 3 7 8; do
		source_of kernel$k
		jq -S 'del(.findings, .lines[].findings)' code.json >daemon.json
		source_of kernel$k --run c.cadv
		jq -S 'del(.findings, .lines[].findings)' code.json >file.json
		diff daemon.json file.json || fail "kernel$k of the capture"
	done
	"$bin/cudadvise" reanalyze "$id"
	source_of kernel8
	jq -S 'del(.findings, .lines[].findings)' code.json >again.json
	diff daemon.json again.json || fail "analysed again"
}

@test "a kernel without code says why it has no lines" {
	options="--level source --no-daemon -o $T/c.cadv"
	measure --kernels 1500 --signatures 10 --kernel-us 20
	load "$T/c.cadv"
	has_launches 1500 10
	for k in 8 9; do
		source_of kernel$k --run c.cadv
		same "counted" "$(code .counted)" false
		[ -n "$(code '.missing.counts // empty')" ] || fail "no reason"
	done
}

@test "--level counters touches neither SASS metrics nor PC sampling" {
	options=
	MOCK_TRACE=$T/calls measure --kernels 2000 --signatures 4
	same "calls" "$(grep -c -E '^cupti(SassMetrics|PCSampling)' calls)" 0
	load
	has_launches 2000 4
	source_of kernel0
	same "counted" "$(code .counted)" false
	code .missing.counts | grep -q -e '--level source' ||
	    fail "$(code .missing)"
}

@test "--no-counters samples, and no launch is measured by itself" {
	options="--level source --no-counters"
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
	options="--level source --no-daemon -o $T/c.cadv"
	measure --kernels 1500 --signatures 3 --threads 2 --contexts 2 \
	    --kernel-us 50
	load "$T/c.cadv"
	same "launches" "$(of .run.launches)" 3000
	same "devices" "$(of '.run.devices | length')" 2
	# Their windows exclude each other: one may have taken all the time.
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
	options="--level source --no-daemon -o $T/c.cadv"
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
	options="--level source --no-daemon -o $T/c.cadv"
	MOCK_SAMPLING_DROP=1000 measure --kernels 3000 --signatures 4 \
	    --kernel-us 50
	load "$T/c.cadv"
	[ "$(of .run.source.samples_dropped)" -ge 1000 ] ||
	    fail "$(of .run.source)"
}

@test "where SASS metrics refuse to go beside counters, the rest is there" {
	options="--level source --no-daemon -o $T/c.cadv"
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
	options="--level source --no-daemon -o $T/c.cadv"
	measure --kernels 24 --signatures 2 --kernel-us 30
	load "$T/c.cadv"
	has_launches 24 2
	same "sampled" "$(of .run.source.kernels_sampled)" 2
	same "counted" "$(of .run.source.kernels_counted)" 2
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 2
}

# PC sampling knows no function that a window measured before.
@test "a kernel that is launched once is sampled" {
	options="--level source --no-daemon -o $T/c.cadv"
	measure --kernels 3 --signatures 3 --kernel-us 30
	load "$T/c.cadv"
	has_launches 3 3
	same "with counters" "$(of '[.kernels[] | select(.headline.occupancy |
	    .source == "measured" and .value != null)] | length')" 0
	same "sampled" "$(of .run.source.kernels_sampled)" 3
}

@test "--replay: a kernel that is launched once gets all counters" {
	options="--replay --no-daemon -o $T/c.cadv"
	measure --kernels 3 --signatures 3 --kernel-us 30
	load "$T/c.cadv"
	has_launches 3 3
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 3
}

@test "--replay at level source: counters and counts, no samples" {
	options="--level source --replay --no-daemon -o $T/c.cadv"
	measure --kernels 12 --signatures 2 --kernel-us 30
	load "$T/c.cadv"
	has_launches 12 2
	same "complete" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 2
	same "counted" "$(of .run.source.kernels_counted)" 2
	same "sampled" "$(of .run.source.samples)" 0
}

@test "whatever the driver calls a cubin: the program and the daemon go on" {
	options="--level source"
	cubin=$BATS_TEST_DIRNAME/../mock/kernels.cubin
	head -c 40000 /dev/urandom >random
	: >empty
	for n in 64 1000 20000 36000; do
		head -c $n "$cubin" >cut.$n
	done
	# Section headers that point anywhere.
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

@test "however a program ends at source level, what it did is there" {
	options="--level source"
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

# A disassembler that knows one instruction.
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
	options="--level source --no-daemon -o $T/c.cadv"
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
	options="--level source --no-counters --no-daemon -o $T/c.cadv"
	CUDADVISE_NVDISASM=$T/tool MOCK_REFUSE=cuptiPCSamplingEnable=1 \
	    measure --kernels 300 --signatures 9 --kernel-us 20 || true
	load "$T/c.cadv"
	has_launches 300 9
	same "sampled" "$(of .run.source.kernels_sampled)" 0
	same "counted" "$(of .run.source.kernels_counted)" 0
	source_of kernel7 --run c.cadv
	same "counted" "$(code .counted)" false
	same "why" "$(code .missing.counts)" \
	    "not measured: counters were not asked for"
	same "disassembled" "$(code .disassembled)" true
	[ "$(code '.lines | length')" -gt 3 ] || fail "no lines of kernel7"
	source_of kernel8 --run c.cadv	# it has no code
	same "disassembled" "$(code .disassembled)" false
}
