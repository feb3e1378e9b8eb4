#!/usr/bin/env bats
# `cudadvise sanitize` with a stand-in for compute-sanitizer (sanitize/), whose
# reports are those of the parser's tests (tests/fuzz/seeds).

load common
bats_require_minimum_version 1.5.0

fake() {
	export CUDADVISE_COMPUTE_SANITIZER=$BATS_TEST_DIRNAME/sanitize/compute-sanitizer
	export FAKE_LOGS=$PWD/logs
	mkdir -p logs
	local seeds=$SOURCE/tests/fuzz/seeds/fuzz_sanitizer tool log
	for tool in memcheck racecheck initcheck synccheck; do
		cp "$seeds/clean.log" "logs/$tool.log"
	done
	for log; do	# TOOL=SEED
		cp "$seeds/${log#*=}.log" "logs/${log%%=*}.log"
	done
}

quiet() {
	cudadvise sanitize -q --no-daemon -o x.cadv "$@"
}

@test "0: all four tools ran, and nothing was found" {
	fake
	run -0 cudadvise sanitize --no-daemon -o x.cadv true
	[[ "$output" == *"  memcheck nothing; racecheck nothing; "*"synccheck nothing"* ]]
	[[ "$output" == *"Nothing found that is worth a change: "*"Clean         1 practice"* ]]
	[ "$(wc -l < logs/calls)" -eq 4 ]
	cudadvise show --json x.cadv > run.json
	jq -e '[.run.checks[].tool] == ["memcheck", "racecheck", "initcheck",
	    "synccheck"] and ([.run.checks[].state] | unique) == ["done"] and
	    .run.checks[0].version == "2025.3.1"' run.json
	jq -e '.findings.rules[] | select(.rule == "sanitizer-findings") |
	    .state == "clean"' run.json
}

@test "1: something was found, with its line, thread, launch site and advice" {
	fake memcheck=memcheck-2025
	run -1 cudadvise sanitize --no-daemon -o x.cadv true
	[[ "$output" == *"rows.cu:41"* ]]
	words=$(echo $output)		# whatever line they are on
	[[ "$words" == *"launched from "*": thread (255,0,0) of block (1023,0,0)"* ]]
	[[ "$words" == *"is out of bounds"* ]]
	words=$(echo $(cudadvise findings x.cadv))
	[[ "$words" == *"out of bounds, and is 1 bytes after"* ]]
	cudadvise findings --all --json x.cadv > findings.json
	jq -e '.items[0] | .rule == "sanitizer-findings" and
	    .category == "correctness" and .severity == "high" and
	    .where == "shift_rows" and .hot_lines[0].line == 41 and
	    .site.line == 88 and .site.function == "shift_all(float *, int)" and
	    (.example.good | contains("i + 1 < n"))' findings.json
	# Consequences of the first defect are listed, but are not worth it by
	# themselves.
	jq -e '[.items[] | select(.worth_it | not) | .title] | sort ==
	    ["CUDA call failed", "device memory never freed"]' findings.json
}

@test "each tool's reports become findings, grouped by line" {
	fake memcheck=memcheck-2023 racecheck=racecheck-2025 \
	    initcheck=initcheck-2024 synccheck=synccheck-2025
	run -1 quiet true
	cudadvise findings --all --json x.cadv | jq -r '.items[] |
	    "\(.evidence[0].from) \(.title)"' | sort > got
	diff got - <<-'WANT'
		initcheck read of memory nobody wrote
		initcheck read of memory nobody wrote
		memcheck access out of bounds
		memcheck access out of bounds
		memcheck wrong free() in a kernel
		racecheck race in shared memory
		racecheck race in shared memory
		racecheck race in shared memory
		synccheck barrier that not all threads reach
		synccheck barrier used wrongly
		synccheck barrier used wrongly
	WANT
	cudadvise show --json x.cadv | jq -e '.run.checks[0] |
	    .errors == 132 and .unreported == 32'
}

@test "many reports of one line are one finding with a count" {
	fake
	{
		echo '========= COMPUTE-SANITIZER'
		for t in $(seq 0 99); do
			cat <<-LOG
			========= Uninitialized __global__ memory read of size 4 bytes
			=========     at add(int *)+0x70 in add.cu:41
			=========     by thread ($t,0,0) in block (1,0,0)
			=========     Address 0x7f3c7ec000$(printf %02x "$t")
			=========
			LOG
		done
		echo '========= ERROR SUMMARY: 3072 errors'
		echo '========= ERROR SUMMARY: 2972 errors were not printed.' \
		    'Use --print-limit option to adjust the number of printed errors'
	} > logs/initcheck.log
	run -1 cudadvise sanitize --no-daemon -o x.cadv true
	[[ "$output" == *"3,072 errors (2,972 not written out)"* ]]
	cudadvise findings --json x.cadv | jq -e '(.items | length) == 1 and
	    .items[0].evidence[0].value == 100 and
	    ([.items[0].evidence[].name] | map(select(startswith("example"))) |
	    length) == 3'
}

@test "the program's exit status is not returned, but what was not checked is reported" {
	fake
	run -2 cudadvise sanitize --no-daemon -o x.cadv sh -c 'exit 3'
	[[ "$output" == *"memcheck nothing, until the program failed"* ]]
	[[ "$output" == *"Not measured: memcheck: the program failed"* ]]
	cudadvise show --json x.cadv | jq -e '.run.checks[0].exit_code == 3 and
	    .run.checks[0].state == "partial"'
	# A defect was found, whatever the program's exit status.
	fake racecheck=racecheck-2025
	run -1 quiet sh -c 'exit 3'
	# And the program's exit status is not returned either.
	fake
	run -0 quiet sh -c 'exit 0'
}

@test "a program without GPU, and a tool without a report, are not clean" {
	fake memcheck=no-gpu
	run -2 cudadvise sanitize --no-daemon -o x.cadv true
	[[ "$output" == *"the program used no GPU"* ]]
	fake memcheck=timed-out
	run -2 cudadvise sanitize --no-daemon -o x.cadv true
	[[ "$output" == *"it wrote no report"* ]]
	[[ "$output" == *"No attachable process found"* ]]
	fake
	rm logs/initcheck.log
	run -2 cudadvise sanitize --no-daemon -o x.cadv true
	[[ "$output" == *"it wrote no report"* ]]
}

@test "--tool runs these tools only, in their order" {
	fake racecheck=racecheck-2025
	run -1 quiet --tool synccheck,racecheck true
	[ "$(sed 's/^--tool \([a-z]*\) .*/\1/' logs/calls | tr '\n' ' ')" = \
	    "racecheck synccheck " ]
	# The result is clean only if all four tools have run.
	run -0 cudadvise sanitize --tool memcheck --no-daemon -o y.cadv true
	cudadvise findings --json y.cadv | jq -e '.rules[] |
	    select(.rule == "sanitizer-findings") | .state == "not_measured" and
	    (.reason | endswith("not run: racecheck, initcheck, synccheck"))'
	run -2 quiet --tool memcheck,valgrind true
	[[ "$output" == *"'valgrind' is none of: memcheck racecheck"* ]]
	run -2 quiet --tool '' true
	run -2 quiet --timeout 0 true
}

@test "options that this version of the tool lacks are not used" {
	fake
	sed -e '/--strip-paths arg/d' -e '/--leak-check arg/d' \
	    "$CUDADVISE_COMPUTE_SANITIZER" > old
	chmod +x old
	CUDADVISE_COMPUTE_SANITIZER=$PWD/old run -0 quiet --tool memcheck true
	run -1 grep -q -e --strip-paths -e --leak-check logs/calls
	grep -q -e '--target-processes all' logs/calls
}

@test "standard output is the program's alone" {
	fake memcheck=memcheck-2025
	run -1 --separate-stderr cudadvise sanitize --tool memcheck \
	    --no-daemon -o x.cadv sh -c 'echo out; echo err >&2'
	[ "$output" = out ]
	[[ "$stderr" == err* ]]
	[[ "$stderr" == *"What to correct first"* ]]
	[[ "$stderr" != *$'\r'* ]]
}

@test "JSON is the report, and not on the program's output" {
	fake racecheck=racecheck-2025
	run -1 --separate-stderr cudadvise sanitize --json --no-daemon \
	    -o x.cadv echo hi
	[ "$output" = $'hi\nhi\nhi\nhi' ]
	sed -n '/^{/,/^}/p' <<<"$stderr" | jq -e '.schema_version == 1 and
	    .run.worth_it > 0 and (.run.checks | length) == 4'
}

@test "a file at standard input is read by each tool, a pipe by the first" {
	fake
	printf 'one\ntwo\n' > in
	run -0 quiet cat < in
	[ "$output" = $'one\ntwo\none\ntwo\none\ntwo\none\ntwo' ]
	run -0 bash -c 'printf "a\n" | cudadvise sanitize -q --no-daemon \
	    -o x.cadv cat'
	[ "$output" = a ]
	# It is read from its current position, not from its start.
	run -0 bash -c 'read -r; cudadvise sanitize -q --tool memcheck,racecheck \
	    --no-daemon -o x.cadv cat' < in
	[ "$output" = $'two\ntwo' ]
}

@test "--timeout ends the tool and the program below it" {
	fake
	local start=$SECONDS
	run -2 cudadvise sanitize --tool memcheck --timeout 3 --no-daemon \
	    -o x.cadv sh -c 'echo $$ > pid; trap "" TERM; while :; do sleep 1; done'
	[ $((SECONDS - start)) -lt 30 ]
	[[ "$output" == *"ended at the time limit"* ]]
	[ -s pid ]
	run -1 kill -0 "$(cat pid)"
	cudadvise show --json x.cadv | jq -e '.run.checks[0].state == "timeout"'
	# A program that ends in time is not affected.
	run -0 quiet --timeout 60 true
}

@test "if a tool is stopped, the command ends" {
	fake
	run -2 quiet sh -c 'kill -INT $PPID; kill -TERM $PPID; sleep 0.2; exit 0'
	[ "$(wc -l < logs/calls)" -eq 1 ]
}

@test "a tool that is killed leaves no program behind" {
	fake
	run -2 quiet --tool memcheck sh -c 'echo $$ > pid; kill -KILL $PPID
	    exec sleep 300'
	[ -s pid ]
	run -1 kill -0 "$(cat pid)"
}

@test "2: the report cannot be written" {
	fake
	[ -e /dev/full ] || skip "no /dev/full"
	run -2 cudadvise sanitize --tool memcheck -o /dev/full true
	[[ "$output" == *"cannot write"* ]]
}

@test "2: no compute-sanitizer, no program, a wrong command line" {
	fake
	CUDADVISE_COMPUTE_SANITIZER=/nonexistent/it run -2 quiet true
	[[ "$output" == *"'/nonexistent/it' is no program"* ]]
	run -2 quiet no-such-program-anywhere
	[[ "$output" == *no-such-program-anywhere* ]]
	run -2 quiet --nosuch true
	run -2 cudadvise sanitize
	[ ! -e x.cadv ]
	[ -z "$(ls -A "$CUDADVISE_RUNTIME_DIR" 2>/dev/null | grep sanitize-)" ]
}

@test "compute-sanitizer is found in PATH, then in CUDA_HOME" {
	fake
	local real=$CUDADVISE_COMPUTE_SANITIZER
	unset CUDADVISE_COMPUTE_SANITIZER
	mkdir -p bin cuda/compute-sanitizer
	cp "$real" bin/compute-sanitizer
	sed 's/Version 2025.3.1/Version 2024.1/' "$real" \
	    > cuda/compute-sanitizer/compute-sanitizer
	chmod +x cuda/compute-sanitizer/compute-sanitizer
	PATH="$PWD/bin:$PATH" CUDA_HOME=$PWD/cuda run -0 quiet true
	cudadvise show --json x.cadv |
	    jq -e '.run.checks[0].version == "2025.3.1"'
	command -v compute-sanitizer && skip "one is installed"
	CUDA_HOME=$PWD/cuda run -0 quiet true
	cudadvise show --json x.cadv |
	    jq -e '.run.checks[0].version == "2024.1"'
	[ -x /usr/local/cuda/bin/compute-sanitizer ] && skip "one is installed"
	[ -x /usr/local/cuda/compute-sanitizer/compute-sanitizer ] &&
	    skip "one is installed"
	unset CUDA_HOME
	run -2 quiet true
	[[ "$output" == *"was not found"*"part of the CUDA toolkit"* ]]
}

@test "with the daemon the run is kept, listed and judged again" {
	fake memcheck=memcheck-2025
	run -1 cudadvise sanitize --label checked true
	[[ "$output" == *"cudadvise · run 1 · checked · true"* ]]
	cudadvise findings --json 1 | jq -e '.items[0].where == "shift_rows"'
	cudadvise reanalyze -q 1
	cudadvise findings --json 1 | jq -e '.items[0].hot_lines[0].line == 41'
	cudadvise show 1 | grep -q 'memcheck 4 errors'
	# A copy of the capture has the same findings.
	cudadvise export --format capture -o copy.cadv 1
	cudadvise findings --json copy.cadv |
	    jq -e '.items[0].where == "shift_rows"'
}
