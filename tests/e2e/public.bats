# tests/gpu/public.sh tells whether programs behave differently when they are
# measured. Here it judges programs for which that is known.

load common

public=${BATS_TEST_DIRNAME%/e2e}/gpu/public.sh

# program NAME SECONDS FILTER [LINE…]: add a script of these lines to the list.
program() {
	local name=$1 seconds=$2 filter=$3
	shift 3
	mkdir -p "$T/programs/$name"
	printf '%s\n' '#!/bin/bash' 'measured=${CUDA_INJECTION64_PATH:-}' \
	    "$@" >"$T/programs/$name/go"
	chmod +x "$T/programs/$name/go"
	printf '%s\tfake\t%s\t./go\t%s\t1\t%s\n' "$name" "$name" "$seconds" \
	    "$filter" >>"$T/list"
}

# judge ARGUMENTS: run the list on GPUs $gpus (0). The output goes to said, the
# table to table.
judge() {
	CUDA_VISIBLE_DEVICES=${gpus:-0} "$public" "$E2E_BUILD" "$T/list" \
	    "$T/programs" "$T/results" "$@" >"$T/said" 2>&1
	local rc=$?
	table=$T/results/public.tsv
	return $rc
}

# cell NAME LEVEL COLUMN: a value of the table.
cell() {
	awk -F'\t' -v name="$1" -v level="$2" -v column="$3" '
	    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	    $1 == name && $3 == level { print $at[column] }' "$table"
}

@test "a program that is not affected is the same at every level" {
	program quiet 1 "" 'echo result 42' \
	    "exec $target --kernels 50 --signatures 2 --exit-code 3"
	judge || fail "$(cat "$T/said")"
	for level in trace default source; do
		same "$level" "$(cell quiet $level verdict)" same
		same "output" "$(cell quiet $level output)" equal
		same "launches" "$(cell quiet $level launches)" 50
	done
	want="source: 1 programs (1 fail alone, 0 without a launch), 1 same,"
	grep -qF "$want 0 timeout" "$T/said" || fail "$(cat "$T/said")"
	[ ! -e "$T/results/quiet.trace.out" ] || fail "its output is kept"
}

@test "another output and another status are found" {
	program prints 1 "" 'echo one' 'echo two ${measured:+too}'
	program ends 1 "" 'exit ${measured:+9}'
	rc=0
	judge --levels trace || rc=$?
	same "status" "$rc" 1
	same "prints" "$(cell prints trace verdict)" differs
	same "where" "$(cell prints trace output)" \
	    "line 2: 'two' is 'two too'"
	same "again" "$(cell prints trace note | cut -d';' -f1)" \
	    "once more: differs"
	same "ends" "$(cell ends trace verdict)" status
	same "its status" "$(cell ends trace status)" 9
	[ -s "$T/results/prints.trace.out" ] || fail "its output is gone"
}

@test "a hang is found and ended, also in a session of its own" {
	program hangs 10 "" '[ -z "$measured" ] || exec setsid sleep 98765'
	rc=0
	judge --patience 1 --levels trace || rc=$?
	same "status" "$rc" 1
	same "hangs" "$(cell hangs trace verdict)" timeout
	! pgrep -f "^sleep 98765$" >/dev/null || fail "it still runs"
}

@test "output that varies without measuring is not compared" {
	program random 1 "" 'echo steady' 'echo $RANDOM$RANDOM$RANDOM'
	program longer 1 "" 'seq $((RANDOM % 900))'
	program timed 1 's/[0-9]+ ns/#/' 'date +"%N ns"'
	program order 1 'sort; ' \
	    '[ "$measured" ] && printf "b\na\n" || printf "a\nb\n"'
	program quiet 1 status 'echo ${measured:-none}'
	judge --levels trace || fail "$(cat "$T/said")"
	same "random" "$(cell random trace output)" "1 masked"
	same "longer" "$(cell longer trace output)" "not compared"
	same "timed" "$(cell timed trace output)" equal
	same "order" "$(cell order trace output)" equal
	same "quiet" "$(cell quiet trace output)" "not compared"
}

@test "each run has a fresh copy, and a second call continues after the first" {
	program writes 1 "" '[ ! -e mark ] || exit 1' 'touch mark' 'exec true'
	judge --levels trace || fail "$(cat "$T/said")"
	same "writes" "$(cell writes trace verdict)" same
	program later 1 "" 'echo later'
	judge --levels trace || fail "$(cat "$T/said")"
	! grep -q "writes: alone" "$T/said" || fail "it ran once more"
	same "lines" "$(wc -l <"$table")" 3
}

@test "programs that cannot be run are reported" {
	program sleeps 0 "" 'sleep 100'
	mkdir "$T/programs/two"
	printf '%s\n' $'two\tfake\ttwo\t./go\t1\t2\t' >>"$T/list"
	rc=0
	judge --levels trace --patience 1 || rc=$?
	same "status" "$rc" 77
	grep -q "^not run: .*sleeps (takes too long alone)" "$T/said" ||
	    fail "$(cat "$T/said")"
	grep -q "two (needs 2 GPUs)" "$T/said" || fail "$(cat "$T/said")"
	echo "short line" >"$T/list"
	! judge --levels trace || fail "a bad list was taken"
	grep -q "list:1: 1 columns, not 7" "$T/said" || fail "$(cat "$T/said")"
	rm "$T/list"
	program filtered 1 's/(//' true
	! judge --levels trace || fail "a bad filter was taken"
	grep -q "list:1: .*sed" "$T/said" || fail "$(cat "$T/said")"
}

@test "each lane has a GPU of its own, and two run at the end on two" {
	program two 1 "" 'echo $CUDA_VISIBLE_DEVICES' 'date +%s%N >&2'
	sed -i 's/\t1\t1\t$/\t1\t2\t/' "$T/list"
	program one 1 "" 'echo $CUDA_VISIBLE_DEVICES' 'sleep 0.5'
	program other 1 "" 'echo $CUDA_VISIBLE_DEVICES' 'sleep 0.5' \
	    'date +%s%N >&2'
	gpus=3,5 judge --levels trace --keep || fail "$(cat "$T/said")"
	same "GPUs" "$(sort "$T"/results/{one,other}.alone.out | tr '\n' ' ')" \
	    "3 5 "
	same "two" "$(cat "$T/results/two.alone.out")" 3,5
	[ "$(cat "$T/results/two.alone.err")" -gt \
	    "$(cat "$T/results/other.trace.err")" ] ||
	    fail "two did not wait"
}

@test "for how long a program was held is the longest of all kinds" {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${public%/*} python3 - <<-'END'
	from public import costs
	run = {"overhead": {"total_s": 3.0, "ratio": 0.5, "held": {
	    "count": 4, "total_s": 2.0, "longest_s": 0.5,
	    "setup_longest_s": 0.75, "replay_longest_s": None}},
	    "launches": 7, "data": {"lost": 0}}
	got = costs(run)
	assert got["held_s"] == 2.0 and got["longest_hold_s"] == 0.75, got
	run["overhead"]["held"] = None
	got = costs(run)
	assert got["held_s"] is None and got["longest_hold_s"] is None, got
	assert got["overhead_s"] == 3.0 and got["launches"] == 7, got
	END
}
