#!/usr/bin/env bats
# ab, gate, baseline, verify: their output, and their exit status.

bats_require_minimum_version 1.5.0
load common

pairs="$SOURCE/tests/captures/pairs"
slow="$pairs/uncoalesced-global-access.bad.cadv"
other="$SOURCE/tests/captures/programs/coalescing.cadv"
fast="$pairs/uncoalesced-global-access.good.cadv"

@test "ab: which is faster, by how much, and what moved" {
	run -0 cudadvise ab --allow arguments "$slow" "$fast"
	[[ "$output" == "faster (1 run before, 1 run after"* ]]
	[[ "$output" == *"bytes used of those moved: 13 % → 100 %"* ]]
	[[ "$output" == *"sectors per request: 32 → 4"* ]]
	[[ "$output" == *"uncoalesced_global_access.cu:43"* ]]
	run -1 cudadvise ab --allow arguments "$fast" "$slow"
	[ "$(cudadvise ab --json --allow arguments "$fast" "$slow" |
	    jq -r .verdict)" = slower ]
}

@test "ab: the working time decides if the GPU's time changes the other way" {
	p=$pairs/launch-bound-graph-candidate
	run -1 cudadvise ab --allow arguments "$p.good.cadv" "$p.bad.cadv"
	[[ "$output" == slower*"faster        the GPU's time"* ]]
}

@test "ab: unlike runs are not compared, and the reason is given" {
	run -3 cudadvise ab "$slow" "$fast"
	[[ "$output" == *"the program's arguments differ: "* ]]
	run -0 cudadvise compare "$slow" "$fast"
	[[ "$output" == *"inconclusive (1 run before"*"--allow arguments compares"* ]]
	run -0 cudadvise compare --allow arguments "$slow" "$fast"
	[[ "$output" == *"faster (1 run before"*"What became of the predictions"* ]]
	run -3 cudadvise ab --json "$slow" "$other"
	[ "$(jq -c '[.reasons[].code] | sort' <<< "$output")" = \
	    '["level","no-kernels","program"]' ]
	# A very uncertain difference is printed without digits.
	[[ "$(cudadvise ab "$slow" "$other" | tr -s ' \n' ' ')" == *"-100 % to over +1,000 %)"* ]]
	run -3 cudadvise ab "$slow" "$pairs/tail-effect.bad.cadv"
	[[ "$output" == *"measured at different levels: 'source' and 'counters'"* ]]
}

@test "ab: for alike runs no difference is reported" {
	run -0 cudadvise ab "$slow" "$slow"
	run -3 cudadvise ab --margin 0.2 "$slow" "$slow"
	[[ "$output" == "inconclusive "* ]]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"runs a side would tell"* ]]
	run -0 cudadvise ab --margin 5 "$slow" "$slow" "$slow" "$slow" -- \
	    "$slow" "$slow" "$slow" "$slow"
	[[ "$output" == "same (4 runs before, 4 runs after"* ]]
}

@test "ab: two programs are run in turn" {
	export TMPDIR=$HOME_DIR/tmp
	mkdir "$TMPDIR"
	cat > app <<-'END'
		#!/bin/sh
		echo "$1" >> order
		exec 1>&-
		exit ${2:-0}
	END
	chmod +x app
	run -3 cudadvise ab --runs 2 --json -- ./app old -- ./app new
	[ "$(tr '\n' ' ' < order)" = "old new old new new old " ]
	[ "$(jq -c '[.reasons[].code]' <<< "$output")" = '["no-kernels"]' ]
	run -3 cudadvise ab --runs 1 -- ./app old -- ./app new 4
	[[ "$output" == *"the program failed: exit status 4"* ]]
	run -2 cudadvise ab --runs 1 -- ./missing -- ./app new
	[[ "$output" == *"'./missing' could not be run"* ]]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "ab: one program in two environments" {
	cat > app <<-'END'
		#!/bin/sh
		echo "${MODE-none}" >> modes
	END
	chmod +x app
	MODE=here run -3 cudadvise ab --runs 1 --json --env MODE=a --env MODE=b -- ./app
	[ "$(tr '\n' ' ' < modes)" = "a b a b " ]
	[ "$(jq -c '[.reasons[].code]' <<< "$output")" = '["no-kernels"]' ]
	rm modes
	run -3 cudadvise ab --runs 1 --env MODE= --json -- ./app
	[ "$(tr '\n' ' ' < modes)" = "none  none  " ]
	CUDA_LAUNCH_BLOCKING=0 run -3 cudadvise ab --runs 1 --json \
	    --env CUDA_LAUNCH_BLOCKING=1 -- ./app
	[ "$(jq -c '[.reasons[].code]' <<< "$output")" = '["no-kernels"]' ]
	for c in "--env MODE" "--env =x" "--env A=1 --env B=2 --env C=3"; do
		run -2 cudadvise ab $c -- ./app
	done
	run -2 cudadvise ab --env A=1 -- ./app -- ./app
	run -2 cudadvise ab --env A=1 "$slow" "$fast"
}

@test "ab: a GPU that was throttled or shared" {
	export LD_LIBRARY_PATH=$BIN/../lib/mock-nvml
	[ -e "$LD_LIBRARY_PATH/libnvidia-ml.so.1" ] || skip "no mock of NVML"
	# SwThermalSlowdown is a fault; SwPowerCap is none.
	MOCK_NVML_REASONS=0x24 run -3 cudadvise ab --runs 1 -- true -- true
	[[ "$output" == *"the GPU lowered its clocks during a run: too hot"* ]]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"SM clock 1.98 GHz to 1.98 GHz, at most 35 °C, at its power limit"* ]]
	MOCK_NVML_PROCESSES=2 run -3 cudadvise ab --runs 1 --json -- true -- true
	[ "$(jq -c '[.reasons[].code]' <<< "$output")" = '["shared","no-kernels"]' ]
	MOCK_NVML_PROCESSES=2 run -3 cudadvise ab --allow shared --runs 1 --json \
	    -- true -- true
	[ "$(jq -c '[.reasons[].code]' <<< "$output")" = '["no-kernels"]' ]
}

@test "run: the conditions of the run are recorded" {
	export LD_LIBRARY_PATH=$BIN/../lib/mock-nvml
	[ -e "$LD_LIBRARY_PATH/libnvidia-ml.so.1" ] || skip "no mock of NVML"
	cp /bin/true app
	printf x > other
	CUDA_LAUNCH_BLOCKING=1 TOKEN=secret MOCK_NVML_LIMIT=700000 \
	    MOCK_NVML_PROCESSES=1 MOCK_NVML_REASONS=0x8 \
	    cudadvise run -q --no-daemon -o a.cadv ./app
	cudadvise show --json a.cadv > a.json
	[ "$(jq -c '.run.conditions.gpus[0] | [.uuid, .throttled, .others,
	    .celsius, .performance_state, .power_limit_w, .pcie_generation,
	    .pcie_lanes]' a.json)" = \
	    '["0123456789abcdef0123456789abcdef","hardware slowdown",1,35,0,700,5,16]' ]
	[ "$(jq -r .run.conditions.driver a.json)" = 580.159.04 ]
	[ "$(jq -r .run.conditions.environment.CUDA_LAUNCH_BLOCKING a.json)" = 1 ]
	[ -z "$(grep -a secret a.json a.cadv)" ]
	# The daemon's run has the same conditions; another file is another program.
	CUDA_LAUNCH_BLOCKING=1 cudadvise run -q ./app
	cudadvise show --json > b.json
	[ "$(jq .run.conditions.program_hash a.json)" = \
	    "$(jq .run.conditions.program_hash b.json)" ]
	cat other >> app
	cudadvise run -q ./app
	cudadvise show --json > c.json
	[ "$(jq .run.conditions.program_hash b.json)" != \
	    "$(jq .run.conditions.program_hash c.json)" ]
	# The report tells what disturbed the times of a run, on the GPUs that it used.
	[[ "$(cudadvise show a.cadv 2>&1)" != *"Conditions"* ]]
	"$BIN/make_capture" shared.cadv
	[[ "$(cudadvise show shared.cadv | tr -s ' \n' ' ')" == *"Conditions GPU 0: its clocks were lowered: "*"; in use before the run began by 1 program"* ]]
	# Comparisons check these conditions.
	run -3 cudadvise ab --json a.cadv 2
	[ "$(jq -c '[.reasons[].code] | unique | map(select(. != "no-kernels"))' \
	    <<< "$output")" = '["environment","shared","throttled"]' ]
}

@test "ab: the time to start a process is no verdict" {
	for i in 1 2 3 4 5; do
		[ "$(cudadvise ab --runs 1 --json -- true -- true |
		    jq -r .active.verdict)" = inconclusive ]
	done
}

@test "ab, gate: a wrong command line ends with 2" {
	for c in "ab" "ab $slow" "ab -- ./a ./b" "gate" "gate $slow" \
	    "ab --margin 0 $slow $fast" "gate --allow speed -b $slow $slow" \
	    "baseline" "baseline keep" "baseline save" "verify a b c"; do
		run -2 cudadvise $c
		[[ "$output" == *cudadvise:* ]]
	done
}

@test "gate: what became worse, by rule and line" {
	run -1 cudadvise gate -b "$fast" --allow arguments "$slow"
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"new uncoalesced-global-access (high): uncoalesced_global_access.cu:43"* ]]
	run -0 cudadvise gate -b "$slow" --allow arguments "$fast"
}

@test "gate: a baseline that is missing, damaged, newer, of another program" {
	run -2 cudadvise gate -b nothing "$slow"
	[[ "$output" == *"there is no baseline 'nothing'"* ]]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"cudadvise baseline save NAME"* ]]
	echo '{"cudadvise_baseline": 2, "runs": []}' > newer.json
	run -2 cudadvise gate -b ./newer.json "$slow"
	[[ "$output" == *"made by a newer cudadvise"* ]]
	for text in '' '[' '{}' '{"cudadvise_baseline": 1}' \
	    '{"cudadvise_baseline": 1, "runs": [{"run": 1}]}'; do
		echo "$text" > bad.json
		run -2 cudadvise gate -b ./bad.json "$slow"
		[[ "$output" == *"is not a baseline"* ]]
	done
	run -2 cudadvise gate -b "$other" "$slow"
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"is of another program: ./coalescing"* ]]
}

@test "baseline: saved, listed, compared with, removed" {
	cudadvise baseline save main "$fast" "$fast"
	[ "$(cudadvise baseline list --json | jq -c '.items[] | [.name, .runs]')" \
	    = '["main",2]' ]
	[ "$(stat -c %s "$CUDADVISE_STATE_DIR/baselines/main.json")" -lt 50000 ]
	run -1 cudadvise gate -b main --allow arguments "$slow"
	[[ "$output" == *"new "*"uncoalesced-global-access"* ]]
	cudadvise baseline rm main
	[ -z "$(cudadvise baseline list -q)" ]
	run -2 cudadvise baseline rm main
	run -2 cudadvise baseline save 'a b' "$fast"
	run -2 cudadvise baseline save '.hidden' "$fast"
	cudadvise baseline save ./here.json "$fast"
	run -0 cudadvise gate -b ./here.json --max-slowdown 10 "$fast"
}

@test "verify: a prediction that was kept, and one that was missed" {
	run -0 cudadvise verify --allow arguments "$slow" "$fast"
	[[ "$output" == *"  kept      dot_rows: "*": predicted "*"achieved"* ]]
	run -1 cudadvise verify "$slow" "$slow"
	[[ "$output" == *"missed"*"it is still found"* ]]
	run -3 cudadvise verify "$fast" "$fast"
}

@test "verify: the gain of several changes is reported as theirs together" {
	p=$pairs/low-ilp
	run -0 cudadvise verify --allow arguments "$p.bad.cadv" "$p.good.cadv"
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"achieved 76.8 ms together with 1 other that is gone"* ]]
	p=$pairs/grid-too-small
	run -0 cudadvise verify --allow arguments "$p.bad.cadv" "$p.good.cadv"
	[[ "$output" != *"together"* ]]
}

@test "verify, compare: predictions are not judged by another program" {
	set -- "$SOURCE/tests/captures/programs/layernorm.cadv" \
	    "$SOURCE/tests/captures/programs/softmax4.cadv"
	run -3 cudadvise verify "$@"
	[[ "$output" == *"another program: ./layernorm and ./softmax"*"--allow program"*"unknown   layernorm"* ]]
	[[ "$output" != *"arguments differ"* && "$output" != *kept* ]]
	run -3 cudadvise verify --json "$@"
	jq -e '.kept + .partly + .missed == 0 and .unknown == 6 and .doubts == []
	    and [.reasons[].code] == ["program"]' <<< "$output"
	run -0 cudadvise compare --json "$@"
	jq -e '.findings | .gone == 0 and .new == 1 and .unknown == 6 and
	    all(.items[]; .achieved == null)' <<< "$output"
	jq -e 'all(.kernels[]; .match == null) and
	    (.notes | index("another program: ./layernorm and ./softmax"))' \
	    <<< "$output"
	cudadvise show --baseline "$1" --format sarif "$2" |
	    jq -e '.runs[0].results | length == 1 and .[0].baselineState == "new"'
	# Two versions may have different names, and so may a kernel in them.
	# Both wait after each launch.
	run -1 cudadvise verify --allow program,arguments "$@"
	[[ "$output" == *kept* && "$output" == *"missed    the run"* ]]
	run -3 cudadvise ab --json --runs 1 -- true -- /bin/ls /
	jq -e '[.reasons[] | select(.code == "program") | .text] ==
	    ["another program: true and /bin/ls"]' <<< "$output"
	run -3 cudadvise baseline save main "$@"
	[[ "$output" == *"another program"* ]]
}

@test "verify: without an earlier run, the message names the command" {
	run -2 cudadvise verify "$slow"
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"no earlier run of this run's command ("*"cudadvise-kernels uncoalesced-global-access --variant bad) is recorded"* ]]
	cudadvise run -q true
	run -2 cudadvise verify
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"no earlier run of the newest run's command (true) is recorded"* ]]
}

# condition FILTER REASON: a run that differs by this must not be compared, in
# either order: exit status 3, and the reason. With --allow it is compared.
condition() {
	jq -c ".runs[0] |= ($1)" here.json > there.json
	for c in "ab ./there.json ./here.json" "ab ./here.json ./there.json" \
	    "gate -b ./there.json ./here.json" "gate -b ./here.json ./there.json" \
	    "verify ./there.json ./here.json" "verify ./here.json ./there.json"; do
		run cudadvise $c
		echo "$c: $status: $output"
		[ $status -eq 3 ]
		[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"$2"*"--allow"* ]]
	done
}

@test "verify: the outcome of the user's own changes is stored, once, and reported" {
	p=$pairs/low-ilp
	[[ "$(cudadvise calibrate --report)" != *"Your own changes"* ]]
	for _ in 1 2; do
		cudadvise verify --allow arguments "$p.bad.cadv" "$p.good.cadv"
	done
	# Under different conditions nothing is concluded.
	run -3 cudadvise verify "$slow" "$fast"
	[[ "$(cudadvise calibrate --report)" == *"Your own changes (cudadvise verify): 2 predictions, 2 kept, 0 partly, 0 missed"*"low-ilp"*"1 kept, 0 partly, 0 missed"* ]]
	cudadvise calibrate --report --json | jq -e '.own | length == 2 and
	    all(.state == "kept" and .gpu == "NVIDIA H200" and
	    .predicted.s > 0 and .achieved.s > 0)'
	# A damaged file is replaced by a new one.
	echo '{"cudadvise_verified": 1, "items": 3}' > "$CUDADVISE_STATE_DIR/verified.json"
	cudadvise calibrate --report --json | jq -e '.own == []'
	cudadvise verify --allow arguments "$p.bad.cadv" "$p.good.cadv"
	cudadvise calibrate --report --json | jq -e '.own | length == 2'
}

@test "ab, gate, verify: other conditions, each of them" {
	cudadvise baseline save ./here.json "$slow"
	condition '.conditions.gpu = ["NVIDIA A100"]' "different GPUs: "
	condition '.conditions.driver = 12080' "drivers differ: "
	condition '.conditions.cupti = 26' "CUPTI differ: "
	condition '.conditions.level = "trace"' "different levels: "
	condition '.conditions.arguments = "1000"' "arguments differ: "
	condition '.conditions.exit_code = 4' "exit status"
	condition '.conditions.signal = 11' "signal 11 ended the program"
	condition '.conditions.complete = false' "not recorded"
	condition '.conditions.checked = true' "checked for errors"
	condition '.conditions.watched = {"throttled": "too hot", "others": 0}' \
	    "lowered its clocks during a run: too hot"
	condition '.conditions.watched = {"throttled": null, "others": 2}' \
	    "2 other programs used the GPU"
	run -0 cudadvise gate --allow shared -b ./there.json ./here.json
	run -1 cudadvise verify --allow shared ./there.json ./here.json
}

@test "baseline: runs that nothing could be compared with are not stored" {
	run -3 cudadvise baseline save main "$slow" "$fast"
	[[ "$output" == *"the program's arguments differ"*"--allow arguments"* ]]
	cudadvise run -q --no-daemon -o failed.cadv sh -c 'exit 4' || true
	run -3 cudadvise baseline save main failed.cadv
	[[ "$output" == *"the program failed: exit status 4"*"--allow end"* ]]
	[ -z "$(cudadvise baseline list -q)" ]
	run -0 cudadvise baseline save main --allow arguments "$slow" "$fast"
}

@test "gate: memory errors are found without times" {
	run -1 cudadvise gate --allow arguments \
	    -b "$pairs/sanitizer-findings.good.cadv" \
	    "$pairs/sanitizer-findings.bad.cadv"
	[[ "$output" == *"new "*"sanitizer-findings (high): "* ]]
}

# Each pair as a change from bad to good: verify must find that its prediction was kept.
# From good to bad: the gate must fail and name the practice, with its line if the
# recording has lines. The six pairs whose finding predicts no seconds are left out.
@test "verify and gate: the reference pairs" {
	[ -z "${SANITIZE:-}" ] || skip "api-fields compares each pair, too"
	for bad in "$pairs"/*.bad.cadv; do
		rule=$(basename "$bad" .bad.cadv) good=${bad%.bad.cadv}.good.cadv
		cudadvise verify --allow arguments --json "$bad" "$good" \
		    > "$rule.verify" || true &
		status=0
		cudadvise gate -b "$good" --allow arguments "$bad" \
		    > "$rule.gate" || status=$?
		echo "exit status $status" >> "$rule.gate"
		wait
	done
	cat > count.py <<-'END'
		import glob, json, re
		n, kept, failed, named, known, located = 0, 0, 0, 0, 0, 0
		for path in sorted(glob.glob("*.verify")):
		    rule = path[:-7]
		    mine = [x for x in json.load(open(path))["items"] if x["rule"] == rule]
		    if not mine:
		        continue
		    n += 1
		    kept += mine[0]["state"] == "kept"
		    said = " ".join(open(rule + ".gate").read().split())
		    fails = said.endswith("exit status 1")
		    name = f"new {rule} (" in said
		    failed, named = failed + fails, named + name
		    line = re.match(r"[a-z_]+\.(cu|h):\d+", mine[0]["location"]["text"] or "")
		    there = line and re.search(rf"new {rule} \(\w+\): {re.escape(line[0])}\b", said)
		    known, located = known + bool(line), located + bool(there)
		    if mine[0]["state"] != "kept" or not fails or not name or (line and not there):
		        print(f"{rule}: {mine[0]['state']}, {line and line[0]}: {said}")
		print(f"{kept} of {n} promises kept; back: {failed} fail, {named} by name, "
		      f"{located} of {known} by line")
		assert n >= 57 and known >= 28 and kept >= 0.9 * n
		assert failed == named == n and located == known
	END
	python3 count.py > said || { cat said; return 1; }
	sed "s/^/# /" said >&3
}

# The steps of the jobs that need no GPU, executed as they are written.
@test "config/ci: the jobs gate two captures" {
	mkdir perf
	cp "$fast" perf/main.cadv
	cp "$fast" perf/new.cadv
	ci=$SOURCE/config/ci
	sed -n '/^      - name: Gate/,/^      - uses/p' "$ci/github.yml" |
	    sed -n 's/^          //p' > github.sh
	sed -n '/^cudadvise captures/,/allow_failure/p' "$ci/gitlab.yml" |
	    sed -n 's/^    - \(cudadvise .*\)/\1/p' > gitlab.sh
	[ "$(wc -l < github.sh)" -ge 5 ] && [ "$(wc -l < gitlab.sh)" -eq 2 ]
	run -0 bash -e github.sh
	run -0 bash -e gitlab.sh
	jq -e '.runs | length == 1' cudadvise.sarif > /dev/null
	cp "$slow" perf/new.cadv
	sed -i 's/gate /gate --allow arguments /' github.sh gitlab.sh
	run -1 bash -e github.sh
	[[ "$output" == *"::warning file="* ]]
	run -1 bash -e gitlab.sh
}
