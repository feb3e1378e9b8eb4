# ab, gate and verify on programs that they run: two runs of a program are compared.

load common

# All runs use one GPU, as on one machine.
alike() {
	export MOCK_MACHINE=$T
	a="$target --kernels 200 --kernel-us 100"
	b="$target --kernels 200 --kernel-us 103"
}

@test "ab: 3 % more are found, and the line; the same program is the same" {
	alike
	"$bin/cudadvise" ab --runs 6 --json -- $a -- $b >ab.json || got=$?
	same "exit status" "$got" 1
	same "verdict" "$(jq -r '.verdict, (.kernels | map(.verdict) | unique[])' \
	    ab.json | tr '\n' ' ')" "slower slower "
	jq -e '.kernels | any(.location.text | contains("kernels.cu:40"))' ab.json ||
		fail "no line: $(jq -c '[.kernels[].location]' ab.json)"
	"$bin/cudadvise" ab --runs 4 -- $a -- $a >report || fail "status $?"
	[[ "$(tr -s ' \n' ' ' <report)" == "same (4 runs before"*"runs of one side differ by "* ]] ||
		fail "not the same"
}

@test "ab: it ends when the result is certain, and when the time is up" {
	alike
	"$bin/cudadvise" ab --runs 30 --until 2% --json -- $a -- $b >ab.json || got=$?
	same "exit status" "$got" 1
	same "runs" "$(jq -c '[.runs.base, .runs.target]' ab.json)" "[3,3]"
	# A run takes about as long as it sleeps.
	"$bin/cudadvise" ab --runs 30 --seconds 8 --json -- $a --sleep-ms 500 -- \
	    $a --sleep-ms 500 >ab.json || true
	n=$(jq .runs.target ab.json)
	[ "$n" -ge 1 ] && [ "$n" -le 7 ] || fail "$n runs in 8 seconds"
}

@test "gate: a program that runs, against its baseline" {
	alike
	options="-q --level trace"
	measure --kernels 200 --kernel-us 100
	"$bin/cudadvise" baseline save main
	"$bin/cudadvise" gate -b main --runs 3 -- $a >report || fail "status $?"
	"$bin/cudadvise" gate -b main --runs 3 --allow arguments -- $b >report || got=$?
	same "exit status" "$got" 1
	"$bin/cudadvise" gate -b main --runs 3 --max-slowdown 5% --allow arguments -- $b \
	    >report || fail "status $?"
	"$bin/cudadvise" gate -b main --runs 3 -- $b >report || got=$?
	same "exit status" "$got" 3
}

# The program's own timing misses this work, the GPU's time has it.
@test "verify: work that left the timed stream, or that the program no longer waits for" {
	export MOCK_MACHINE=$T
	options="-q --level trace"
	measure --kernels 200
	for change in --aside --no-wait ""; do
		measure --kernels 200 $change
		"$bin/cudadvise" list --json >list.json
		"$bin/cudadvise" verify --allow arguments --json 1 \
		    "$(jq -r '.items[0].id' list.json)" >verify.json || true
		jq -c '[.doubts[].code] | unique' verify.json >>doubts
	done
	same "doubts" "$(tr '\n' ' ' <doubts)" '["untimed-stream"] ["unwaited"] [] '
}

# The steps of config/ci that need a GPU, executed as they are written: two
# commits are built and run in turn.
@test "config/ci: the jobs run a program of two commits" {
	export MOCK_MACHINE=$T PATH=$bin:$PATH GITHUB_STEP_SUMMARY=$T/summary.md
	ci=${BATS_TEST_DIRNAME%/tests/*}/config/ci
	sed -n '/^      - name: Build both/,$p' "$ci/github.yml" |
	    sed -n 's/^          //p' >github.sh
	sed -n '/^cudadvise gpu/,$p' "$ci/gitlab.yml" |
	    sed -n '/^  script:/,/^  allow_failure/p' |
	    awk '/^    - / { printf "%s%s", n++ ? "\n" : "", substr($0, 7) }
	    /^      / { printf " %s", substr($0, 7) } END { print "" }' >gitlab.sh
	[ "$(wc -l <github.sh)" -ge 9 ] && [ "$(wc -l <gitlab.sh)" -eq 4 ] ||
		fail "not the steps: $(cat github.sh gitlab.sh)"
	export BUILD='mkdir -p build && cp app build/app' PROGRAM='./build/app 200'
	mkdir new
	commit() {
		printf '#!/bin/sh\nexec %s --kernels $1 --kernel-us %s\n' "$target" \
		    "$1" >new/app
		chmod +x new/app
		git -C new add app
		git -C new -c user.name=a -c user.email=b commit -qm "$1"
	}
	git init -q new
	commit 100
	export CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git -C new rev-parse HEAD)
	for us in 100 104; do
		[ $us = 100 ] || commit $us
		rm -rf old
		git clone -q new old
		git -C old checkout -q "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
		github=0 gitlab=0
		bash -e github.sh >github.$us 2>&1 || github=$?
		rm -rf old
		(cd new && bash -e ../gitlab.sh) >gitlab.$us 2>&1 || gitlab=$?
		git -C new worktree remove --force ../old
		echo "$github $gitlab" >>statuses
	done
	same "statuses" "$(tr '\n' ' ' <statuses)" "0 0 1 1 " ||
		fail "$(cat github.* gitlab.*)"
	grep -q '^slower (' summary.md gitlab.104 || fail "no verdict"
}
