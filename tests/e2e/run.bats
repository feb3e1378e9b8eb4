# The whole path of the data, from a target to the report and the API.

load common

@test "output and exit code are the program's; every launch is counted" {
	options=$patient
	CUDA_INJECTION64_PATH= "$target" --kernels 1000 --signatures 5 \
	    --stdout "hello, world" --exit-code 7 >plain || rc=$?
	same "plain exit code" "$rc" 7
	measure --kernels 1000 --signatures 5 --stdout "hello, world" \
	    --exit-code 7 || got=$?
	same "exit code" "$got" 7
	cmp plain out
	load
	has_launches 1000 5
	same "state" "$(of .run.state)" finished
	same "exit code in the run" "$(of .run.exit_code)" 7
	same "launches of each" "$(of '[.kernels[].launches] | unique |
	    map(tostring) | join(" ")')" 200
	grep -q "1,000 launches" report || fail "no launches in the report"
}

@test "the shape, time and name of each kernel are those of the launch" {
	options=$patient
	measure --kernels 30 --signatures 3
	load
	same "names" "$(of '[.kernels[].mangled] | sort | join(" ")')" \
	    "_Z7kernel0Pf _Z7kernel1Pf _Z7kernel2Pf"
	same "grid" "$(of '.kernels[] | select(.mangled == "_Z7kernel2Pf") |
	    .grid | map(tostring) | join(" ")')" "24 1 1"
	same "block" "$(of '.kernels[] | select(.mangled == "_Z7kernel2Pf") |
	    .block | map(tostring) | join(" ")')" "128 1 1"
	same "registers" "$(of '.kernels[] | select(.mangled ==
	    "_Z7kernel2Pf") | .registers')" 32
	# Launches of kernel2 that are not measured take 2 µs.
	same "shortest" "$(of '.kernels[] | select(.mangled ==
	    "_Z7kernel2Pf") | .time.min_ns')" 2000
	same "longest" "$(of '.kernels[] | select(.mangled ==
	    "_Z7kernel2Pf") | .time.max_ns')" 2000
}

@test "every repeated signature is measured completely, with CUPTI's values" {
	options=$patient
	measure --kernels 1200 --signatures 6
	load
	same "completely measured" "$(of '[.kernels[] |
	    select(.metrics_complete)] | length')" 6
	want=$("$target" --value \
	    sm__warps_active.avg.pct_of_peak_sustained_active _Z7kernel3Pf)
	got=$(of '.kernels[] | select(.mangled == "_Z7kernel3Pf") |
	    .occupancy.achieved_ratio')
	jq -ne --argjson w "$want" --argjson g "$got" \
	    '($w / 100 - $g) | fabs < 1e-6' || fail "$got, not $want %"
}

@test "passes are spread over launches: no more than needed are disturbed" {
	options=$patient
	MOCK_PASSES=3 measure --kernels 600 --signatures 4
	load
	same "completely measured" "$(of '[.kernels[] |
	    select(.metrics_complete)] | length')" 4
	n=$(of .run.overhead.profiled_launches)
	[ "$n" -ge 4 ] && [ "$n" -le 40 ] || fail "$n launches were profiled"
}

@test "a kernel launched once has its headline metrics, or says why not" {
	options=$patient
	measure --kernels 3 --signatures 3
	load
	same "launches" "$(of .run.launches)" 3
	same "neither value nor reason" "$(of '[.kernels[].headline[] |
	    select(.value == null and (.reason == null or .reason == ""))] |
	    length')" 0
	same "without occupancy" "$(of '[.kernels[].headline.occupancy |
	    select(.value == null)] | length')" 0
}

@test "--twice: the report has the times of the first run, which was traced" {
	options="$patient --twice"
	measure --kernels 400 --signatures 4 --stdout x </dev/null
	same "output" "$(cat out)" x
	load 1
	has_launches 400 4
	same "profiled" "$(of .run.overhead.profiled_launches)" 0
	load 2
	has_launches 400 4
	[ "$(of .run.overhead.profiled_launches)" -gt 0 ] || fail "not measured"
	grep -q '^Traced only (run 1) .* traced  measured$' report &&
	    grep -q '^ kernel3(float\*) .* 250 µs  *250 µs$' report ||
	    fail "no times of the first run"
	# The report may compare with the run before, but not with this run's
	# own first run.
	! grep -q 'Since run 1' report || fail "compared with its own first run"
	options="$patient --twice --json"
	measure --kernels 400 --signatures 4 </dev/null
	sed -n '/^{/,/^}/p' report | jq -e '.traced.run == "3" and
	    .traced.wall_s > 0 and (.traced.kernels | map("\(.name) \(.traced_s *
	    1e6 | round)") | join(", ")) == "kernel3(float*) 250, " +
	    "kernel2(float*) 200, kernel1(float*) 150, kernel0(float*) 100"' ||
	    fail "not in the JSON"
}

@test "--level trace profiles nothing" {
	options="--level trace"
	measure --kernels 200 --signatures 4
	load
	has_launches 200 4
	same "profiled" "$(of .run.overhead.profiled_launches)" 0
	same "with a reason" "$(of '[.kernels[] | select(.not_measured !=
	    null)] | length')" 4
}

@test "each launch has the time of its call and its thread" {
	options="--level trace --no-daemon -o $T/c.cadv"
	measure --kernels 300 --signatures 3 --threads 4 --copies 2
	"$bin/cudadvise" export -q -f sqlite -o run.sqlite c.cadv
	same "launches of each of the threads that copy" "$(python3 - <<-'EOF'
		import sqlite3
		db = sqlite3.connect("run.sqlite")
		threads = """SELECT count(*), sum(launched_ns > 0 AND
		    launched_ns <= start_ns) FROM operation WHERE kind = 'kernel'
		    AND thread IN (SELECT thread FROM operation WHERE kind = 'h2d')
		    GROUP BY thread"""
		print(*db.execute(threads).fetchall())
	EOF
	)" "(300, 300) (300, 300) (300, 300) (300, 300)"
}

@test "threads, streams and contexts: nothing is lost or counted twice" {
	options=$patient
	measure --kernels 500 --signatures 6 --threads 8 --streams 5 \
	    --contexts 2 --copies 20
	load
	same "launches" "$(of .run.launches)" 4000
	same "lost" "$(of .run.data.lost)" 0
	same "devices" "$(of '.run.devices | length')" 2
}

@test "many launches fill many buffers" {
	options="--level trace"
	measure --kernels 100000 --signatures 20 --threads 2
	load
	has_launches 200000 20
}

@test "copies: kinds, sizes, pinned or not" {
	options="$patient --no-daemon -o $T/c.cadv"
	measure --kernels 10 --copies 40
	"$bin/cudadvise" daemon start
	"$bin/cudadvise" import "$T/c.cadv" >/dev/null
	api=$(find "$CUDADVISE_RUNTIME_DIR" -name api.sock)
	curl -sf --unix-socket "$api" \
	    http://localhost/api/v1/runs >runs.json
	id=$(jq -r '.items[0].id // .items[0].uuid' runs.json)
	curl -sf --unix-socket "$api" \
	    "http://localhost/api/v1/runs/$id/copies" >copies.json
	same "copies" "$(jq '[.items[] | select(.memset | not) | .count] |
	    add' copies.json)" 40
	same "to the device" "$(jq '[.items[] | select((.kind |
	    ascii_downcase) == "h2d") | .count] | add' copies.json)" 20
	same "memsets" "$(jq '[.items[] | select(.memset) | .count] | add' \
	    copies.json)" 1
}

@test "a launch that fails still fails, and is reported" {
	options=$patient
	MOCK_TRACE=$T/calls measure --kernels 50 --error-launch --exit-code 3 ||
	    got=$?
	same "exit code" "$got" 3
	load
	same "launches" "$(of .run.launches)" 50
	grep -q "^cuFuncGetAttribute" calls || fail "the limits were not asked for"
	! grep "^unrelaxed" calls || fail "this breaks a capture"
	same "the practice" "$(of '[.findings.items[] | select(.rule ==
	    "unchecked-errors")] | length')" 1
	same "the limit" "$(of '.findings.items[] | select(.rule ==
	    "launch-failures") | .where, (.evidence[] | select(.name == "asked"
	    or .name == "allowed") | .value)' | tr '\n' ' ')" \
	    "kernel0 2048 1024 "
}

@test "compilation by the driver is measured" {
	options=$patient
	measure --kernels 50 --jit-ms 300
	load
	same "the practice" "$(of '.findings.items[] | select(.rule ==
	    "jit-at-startup") | .evidence[] | select(.name == "jit_s") |
	    .value >= 0.3 and .value < 3')" true
	measure --kernels 50
	load
	same "without" "$(of '.findings.rules[] | select(.rule ==
	    "jit-at-startup") | .state')" clean
}

@test "records that CUPTI drops are counted on every surface" {
	options=$patient
	MOCK_DROP=17 measure --kernels 100
	load
	same "dropped" "$(of .run.data.lost_by.cupti)" 17
	same "complete" "$(of .run.data.complete)" false
	grep -q 17 report || fail "the report does not say it"
}

@test "the command's report and the API tell the same" {
	options=$patient
	measure --kernels 300 --signatures 3 --copies 8
	load
	api=$(find "$CUDADVISE_RUNTIME_DIR" -name api.sock)
	id=$(of .run.id)
	curl -sf --unix-socket "$api" "http://localhost/api/v1/runs/$id" |
	    jq -S '.run // . | {launches, kernels, wall_ns, data, findings}' \
	    >api.json
	jq -S '.run | {launches, kernels, wall_ns, data, findings}' run.json \
	    >cli.json
	diff api.json cli.json
}

@test "without a daemon: a capture with the same counts" {
	options="$patient --no-daemon -o $T/run.cadv"
	measure --kernels 700 --signatures 7 --stdout x --exit-code 5 ||
	    got=$?
	same "exit code" "$got" 5
	same "output" "$(cat out)" x
	[ ! -e "$CUDADVISE_RUNTIME_DIR/api.sock" ] || fail "a daemon runs"
	load "$T/run.cadv"
	has_launches 700 7
	same "left beside it" "$(ls "$T" | grep -c -v -e '^run.cadv$' \
	    -e '^out$' -e '^report$' -e '^run.json$' -e '^[rs]$')" 0
}

@test "a program without CUDA runs as before" {
	options=$patient
	"$bin/cudadvise" run -- sh -c 'echo out; exit 4' >out 2>report ||
	    got=$?
	same "exit code" "$got" 4
	same "output" "$(cat out)" out
}

@test "the next run of a command reports what the predictions achieved" {
	case ${E2E_SANITIZE:-} in
	*thread*) skip "ThreadSanitizer makes gaps of its own" ;;
	esac
	printf '#!/bin/sh\nexec %s $(cat args)\n' "$target" >prog
	chmod +x prog
	echo "--kernels 2000 --signatures 1 --kernel-us 40 --pause-us 200" >args
	"$bin/cudadvise" run --level trace ./prog >out 2>report
	load
	grep -q "GPU waits for the host" report || fail "no finding"
	! grep -q "Since run" report || fail "nothing was before it"
	echo "--kernels 2000 --signatures 1 --kernel-us 40" >args
	# On a busy machine the GPU may be idle in this run, too: try again.
	for last in 2 3 4 5 6; do
		"$bin/cudadvise" run --level trace ./prog >out 2>report
		load
		! grep -q "Since run" report || break
	done
	grep -q "Since run $((last - 1)) .*predicted .*achieved" report ||
	    fail "nothing of the prediction"
	grep -q "the run: gpu-idle-gaps " report || fail "not which one"
	# A run of another command is not compared.
	"$bin/cudadvise" run --level trace ./prog again >out 2>report
	load
	! grep -q "Since run" report || fail "compared with another command"
	"$bin/cudadvise" compare --json $((last - 1)) $last >compare.json
	jq -e '.findings.gone == 1 and .kernels[0].match == "shape"' \
	    compare.json || fail "$(cat compare.json)"
}
