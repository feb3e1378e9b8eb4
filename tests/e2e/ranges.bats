# NVTX ranges: from the program's calls to the report, the API and the exports.

load common

@test "each range is there, with the kernels that were launched within" {
	"$target" --kernels 1 --ranges 1 | grep -q "no NVTX" &&
	    skip "the toolkit has no NVTX headers"
	options=$patient
	measure --kernels 300 --signatures 3 --ranges 3 --threads 2 --stdout x
	same "output" "$(cat out)" x
	load
	same "launches of each" "$(of '[.ranges.items[] |
	    "\(.name) \(.domain) \(.count) \(.launches)"] | sort[]')" \
	    '<b>inner</b>?[31m? library 1 300
step 0 null 200 200
step 1 null 200 200
step 2 null 200 200
whole null 1 600'
	same "kernel time outside" "$(of '.ranges |
	    .kernel_s == .inside_s')" true
	same "drawn, tracks" "$(of '.ranges |
	    "\(.drawn | length) \(.tracks | length)"')" "602 3"
	# Depth 0: the range without a thread, and the first thread's; depth 1:
	# the steps.
	same "depths" "$(of '[.ranges.drawn[][2]] | unique | tostring')" "[0,1]"
	grep -q "by NVTX range" report || fail "not in the report"
	grep -q "step 1 · 200 ranges" report || fail "no range in the report"
	"$bin/cudadvise" export 1 --format sqlite -o run.db
	same "in the database" "$(sqlite3 run.db "SELECT count(*) FROM operation
	    WHERE kind = 'range'")" 602
}

@test "ranges before the first call of CUDA do no harm, and those behind it are there" {
	"$target" --kernels 1 --ranges 1 | grep -q "no NVTX" &&
	    skip "the toolkit has no NVTX headers"
	options=$patient
	measure --kernels 300 --signatures 3 --ranges 3 --threads 2 --early-ranges \
	    --stdout x
	same "output" "$(cat out)" x
	load
	same "launches of each" "$(of '[.ranges.items[] |
	    "\(.name) \(.domain) \(.count) \(.launches)"] | sort[]' | grep -v early)" \
	    '<b>inner</b>?[31m? library 1 300
step 0 null 200 200
step 1 null 200 200
step 2 null 200 200
whole null 1 600'
}

@test "a million names: all launches are there, and the outer ranges have theirs" {
	options="$patient --level trace"
	measure --kernels 40000 --signatures 3 --ranges 1000000
	load
	same "launches, lost" "$(of '.run | "\(.launches) \(.data.lost)"')" \
	    "40000 0"
	same "ranges" "$(of '.ranges | "\(.count) \(.rows)"')" "40002 3"
	same "whole" "$(of '.ranges.items[] | select(.name == "whole") |
	    .launches')" 40000
	same "steps" "$(of '.ranges.items[] | select(.name == "step #") |
	    .count')" 40000
}

@test "a tool that the user has for NVTX stays in its place" {
	cat >sees <<-'END'
		#!/bin/sh
		echo "$NVTX_INJECTION64_PATH"
	END
	chmod +x sees
	target=./sees
	measure
	same "its path" "$(basename "$(cat out)")" libcudadvise_injection.so
	NVTX_INJECTION64_PATH=/opt/theirs.so measure
	same "its path" "$(cat out)" /opt/theirs.so
	grep -q "'/opt/theirs.so', which stays" report || fail "not told"
}
