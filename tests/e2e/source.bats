# The source tier from the device's code to the report: counts, samples, lines,
# source text of each instruction.

load code	# first: common has a load of its own
load common

@test "every instruction's counts are the device's, and the trace is whole" {
	options="$patient --level source"
	measure --kernels 2000 --signatures 8 --kernel-us 20 --stdout x --exit-code 3 ||
	    got=$?
	same "exit code" "$got" 3
	same "output" "$(cat out)" x
	load
	has_launches 2000 8
	same "counted" "$(of .run.source.kernels_counted)" 8
	# In a program with more than a few kernels, only those that matter get
	# everything.
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
	"$bin/cudadvise" show -v $([ ! -f c.cadv ] || echo c.cadv) |
	    grep -q "by line: 8 of 8 kernels" || fail "not in the report"
}

@test "an inlined line belongs to its header, below the call" {
	options="$patient --level source"
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
	options="$patient --level source"
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
	options="$patient --level source"
	measure --kernels 0 --graphs 200 --signatures 4 --kernel-us 20
	load
	has_launches 800 4
	same "sampled" "$(of .run.source.kernels_sampled)" 4
	same "by themselves" "$(of '[.kernels[] | select(.measured !=
	    "none")] | length')" 0
	source_of kernel1
	[ "$(code .totals.samples.all)" -gt 100 ] ||
	    fail "$(code .totals.samples.all) samples"
	# After single launches there is one more episode of sampling.
	measure --kernels 400 --graphs 100 --signatures 4 --kernel-us 20 \
	    --pause-us 100
	load
	has_launches 800 4
	same "counted" "$(of .run.source.kernels_counted)" 4
}

@test "samples of all launches, with why the warps wait" {
	options="$patient --level source"
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
	options="$patient --level source"
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
	options="$patient --level source --no-daemon -o $T/c.cadv"
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
	options="$patient --level counters"
	MOCK_TRACE=$T/calls measure --kernels 2000 --signatures 4
	same "calls" "$(grep -c -E '^cupti(SassMetrics|PCSampling)' calls)" 0
	load
	has_launches 2000 4
	source_of kernel0
	same "counted" "$(code .counted)" false
	code .missing.counts | grep -q -e '--level auto' ||
	    fail "$(code .missing)"
}
