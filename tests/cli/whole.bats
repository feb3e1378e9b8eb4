#!/usr/bin/env bats
# The run as a whole: roofline and checklist of captures.

bats_require_minimum_version 1.5.0
load common

pairs="$BATS_TEST_DIRNAME/../captures/pairs"

@test "checklist: a finding fails its line, and its fix passes it" {
	cudadvise checklist --json "$pairs/uncoalesced-global-access.bad.cadv" \
	    > bad.json
	cudadvise checklist --json "$pairs/uncoalesced-global-access.good.cadv" \
	    > good.json
	line='.groups[].lines[] | select(.id == "coalescing")'
	jq -e ".schema_version == 1" bad.json
	jq -e "$line | .state == \"failed\" and
	    .findings[0].rule == \"uncoalesced-global-access\" and
	    .facts[0].value < 0.2" bad.json
	jq -e "$line | .state == \"passed\" and .findings_count == 0 and
	    .facts[0].value > 0.9" good.json
}

@test "checklist: text says state, evidence and finding of every line" {
	run cudadvise checklist "$pairs/uncoalesced-global-access.bad.cadv"
	[ "$status" -eq 0 ]
	for group in "Memory access" Compute Occupancy Concurrency Profiling; do
		[[ "$output" == *"$group: "* ]]
	done
	[[ "$output" == *"failed        Global accesses are coalesced"* ]]
	[[ "$output" == *"uncoalesced-global-access: "*"would save"* ]]
	# As many lines as the summary counts.
	sum=$(($(sed -n 's/^  Checklist: //p' <<< "$output" |
	    grep -o '[0-9]*' | paste -sd+)))
	[ "$(grep -c '^  \(passed\|failed\|no gain\|not measured\) ' \
	    <<< "$output")" -eq "$sum" ]
}

@test "checklist and roofline of a run without CUDA" {
	make_capture x.cadv
	cudadvise checklist --json x.cadv | jq -e '.failed == 0 and
	    ([.groups[].lines[] | select(.state == "not_measured") |
	    .reason] | all(. != null))'
	run cudadvise roofline x.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *"No kernel was launched"* ]]
	cudadvise roofline --json x.cadv |
	    jq -e '.kernels == [] and .copies == [] and .devices == []'
}

@test "roofline: operations where instructions were counted, else why not" {
	cudadvise roofline --json "$pairs/double-precision.bad.cadv" > bad.json
	cudadvise roofline --json "$pairs/double-precision.good.cadv" > good.json
	first='.kernels | sort_by(-.share_ratio)[0].roofline'
	# Bad computes in double, good in float.
	jq -e "$first | .compute == \"FP64\" and .flops.fp64 > .flops.fp32 and
	    .flops_per_s > 0 and .compute_ratio < 1.05" bad.json
	jq -e "$first | .flops.fp64 == 0 and .flops.fp32 > 0" good.json
	jq -e '[.devices[0].ceilings.items[] | select(.name == "fp64_flops")][0]
	    | .source == "measured" and .value > 1e13' bad.json
	run cudadvise roofline "$pairs/../programs/matrixmul.cadv"
	[ "$status" -eq 0 ]
	[[ "$output" == *"(1) needs --level auto"* ]]
	[[ "$output" == *"L1/shared data pipe"* ]]
}

@test "roofline: copies against what this machine reaches pinned" {
	for v in bad good; do
		cudadvise roofline --json "$pairs/pageable-host-memory.$v.cadv" |
		    jq '[.copies[] | select(.kind == "h2d") | .ceiling_ratio] |
		    max' > $v.ratio
	done
	jq -e '. < 0.6' bad.ratio
	jq -e '. > 0.85 and . < 1.15' good.ratio
	run cudadvise roofline "$pairs/pageable-host-memory.bad.cadv"
	[[ "$output" == *"possible"* ]]
}

@test "compare: each prediction against what its fix achieved" {
	for p in uncoalesced-global-access shared-bank-conflicts \
	    allocation-in-hot-path low-theoretical-occupancy \
	    no-copy-compute-overlap; do
		cudadvise compare --json "$pairs/$p.bad.cadv" \
		    "$pairs/$p.good.cadv" > compare.json
		jq -e --arg p "$p" '.schema_version == 1 and
		    .findings.gone == 1 and .findings.new == 0 and
		    .findings.items[0].rule == $p and
		    .findings.items[0].within' compare.json
	done
	run cudadvise compare "$pairs/shared-bank-conflicts.bad.cadv" \
	    "$pairs/shared-bank-conflicts.good.cadv"
	[ "$status" -eq 0 ]
	[[ "$output" == *"What became of the predictions"*predicted*achieved* ]]
	[[ "$output" == *"turn_tiles: shared-bank-conflicts"*"424 ms"*"421 ms"* ]]
}

@test "compare: kernels of one name are told apart by their numbers" {
	run -0 cudadvise compare "$pairs/../programs/layernorm.cadv" "$pairs/../programs/layernorm.cadv"
	for i in 1 2 3 4 5 6; do
		[ "$(grep -c "^ layernorm_forward_.* #$i .*as before" \
		    <<< "$output")" -eq 1 ]
	done
	# A finding about several kernels is listed once, at the kernel that represents them.
	[ "$(grep -c "layernorm_forward_kernel1 #6: uncoalesced-global-access" \
	    <<< "$output")" -eq 1 ]
	[ "$(grep -c "uncoalesced-global-access" <<< "$output")" -eq 1 ]
	# A unique name has no number.
	run -0 cudadvise compare "$pairs/shared-bank-conflicts.bad.cadv" \
	    "$pairs/shared-bank-conflicts.good.cadv"
	[[ "$output" != *"#"* ]]
}

@test "compare: runs that cannot be compared are reported as such" {
	make_capture x.cadv
	cudadvise compare --json "$pairs/idle-lanes.bad.cadv" x.cadv > c.json
	jq -e '.findings.gone == 0 and .findings.unknown == 1 and
	    .findings.items[0].achieved == null and
	    (.findings.items[0].reason | contains("of another program"))' \
	    c.json
	jq -e '.notes | length >= 2' c.json
	run cudadvise compare x.cadv x.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *"Nothing was found in the first run"* ]]
	run cudadvise compare x.cadv ./missing.cadv
	[ "$status" -eq 1 ]
	run cudadvise compare
	[ "$status" -eq 2 ]
}

@test "kernels: a function's launch shapes are listed under it, with -v all of them" {
	export COLUMNS=120
	run -0 cudadvise kernels "$pairs/../programs/layernorm.cadv"
	[[ "$output" == *"layernorm_for"*"8.91 s"*"12,006"*"6 shapes"* ]]
	[ "$(grep -c "2,001" <<< "$output")" -eq 3 ]
	[[ "$output" == *"3 more shapes with less time"* ]]
	run -0 cudadvise kernels -v "$pairs/../programs/layernorm.cadv"
	[ "$(grep -c "2,001" <<< "$output")" -eq 6 ]
	[[ "$output" != *"more shapes"* ]]
	run -0 cudadvise show -v "$pairs/../programs/layernorm.cadv"
	[[ "$output" == *"12,006 launches of 1 kernel in 6 launch shapes"* ]]
	[[ "$output" == *"grid 8 to 256, block 32 to 1024, 6 launch shapes"* ]]
	[[ "$output" == *"the figures are of grid 8, block 1024"* ]]
}

# In the report of any run, the first ten lines say what to change, or why
# nothing; no line is wider than requested, except commands to copy. Where the
# report places the first finding: at its line, or else where that is called from,
# or else at its kernel or operator, of which a row may show only the beginning, or
# with its title, for which "the run" makes room.
place='.findings.items[0] | select(.worth_it) |
    def line: "\(.file | sub(".*/"; "")):\(.line)";
    if .hot_lines[0].file then .hot_lines[0] | line
    elif .site.first != null then .site.frames[.site.first] |
        if .file then line
        else .function // .module | sub("\\(.*"; "") | sub(".*[ /]"; "") end
    else .where[:8], (select(.where == "the run") | .title) end'

@test "reports of real programs: the first finding in ten lines, clean at 60 and 80 columns" {
	for f in "$pairs"/../programs/*.cadv \
	    "$pairs"/{launch-bound-graph-candidate,legacy-default-stream}.bad.cadv \
	    "$pairs"/{layout-conversions,serial-kernel}.bad.cadv \
	    "$pairs"/{sanitizer-findings,shared-atomic-contention}.bad.cadv; do
		cudadvise show --json "$f" | jq -r "$place" > place
		for columns in 60 80; do
			COLUMNS=$columns cudadvise show "$f" > report
			head -n 10 report > first
			grep -qE '^    → |^Nothing found |^Not measured: ' first
			[ ! -s place ] || \
			    grep -qE '^ 1  .*( [0-9.]+ [mµn]?s( |$)|–$)' first
			grep -qF -f place first || [ ! -s place ]
			grep -v 'cudadvise ' report > text
			[ "$(wc -L < text)" -le $columns ]
			# What ran, where the time went, what was measured.
			[ "$(sed '/^$/q' report | grep -c .)" -le 3 ] ||
			    grep -q memcheck report
		done
		for command in kernels roofline; do
			COLUMNS=60 cudadvise $command "$f" > table
			[ "$(wc -L < table)" -le 60 ]
		done
		[ "$(grep -c '^Next  ' report)" -eq 1 ]
		[ "$(grep -c '  cudadvise ' report)" -le 2 ]
	done

	# Also with a long path.
	mkdir "$(printf 'd%.0s' {1..90})"
	cp "$pairs/../programs/nvtranspose.cadv" d*/
	COLUMNS=60 cudadvise show d*/nvtranspose.cadv > report
	[ "$(grep -v 'cudadvise ' report | wc -L)" -le 60 ]
}
