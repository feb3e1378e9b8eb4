#!/usr/bin/env bats
# Invalid capture files, and the commands that need no daemon.

bats_require_minimum_version 1.5.0
load common

captures="$BATS_TEST_DIRNAME/../captures"

@test "show: truncated at any byte, the part before it is shown" {
	make_capture whole.cadv
	size=$(stat -c %s whole.cadv)
	for n in $((size - 1)) $((size - 7)) $((size / 2)); do
		head -c "$n" whole.cadv > cut.cadv
		run cudadvise show cut.cadv
		# The first frame (RUN_BEGIN) may be the one that is cut: then
		# nothing is left, which is an error, but never a crash.
		[ "$status" -le 1 ]
		[ -n "$output" ]
	done
	head -c $((size - 1)) whole.cadv > cut.cadv
	run cudadvise show cut.cadv
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' '  ' <<< "$output")" == *"ends early, in the middle of a frame"* ]]
}

@test "show: a damaged frame is left out and reported" {
	make_capture whole.cadv
	size=$(stat -c %s whole.cadv)
	cp whole.cadv bad.cadv
	printf '\377' | dd of=bad.cadv bs=1 seek=$((size - 20)) conv=notrunc \
	    status=none
	run cudadvise show bad.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *damaged* || "$output" == *"ends"* ]]
}

@test "show: not a capture, empty, a directory, missing: a clear error" {
	echo 'just text, which is no capture at all, however long it is' > text
	: > empty
	for f in ./text ./empty . ./missing; do
		run cudadvise show "$f"
		[ "$status" -eq 1 ]
		[[ "$output" == *cudadvise:* ]]
	done
	run cudadvise show ./text
	[[ "$output" == *"capture"* ]]
}

@test "a missing file is named once, as missing" {
	for c in show kernels findings; do
		run -1 cudadvise $c run.cadv
		[[ "$output" == *"there is no file 'run.cadv' here, and no run of"* ]]
	done
	run -1 cudadvise import run.cadv
	[ "$output" = "cudadvise: cannot open 'run.cadv': No such file or directory" ]
	echo 'just text, which is no capture at all, however long it is' > text
	run -1 cudadvise import text
	[[ "$output" == "cudadvise: 'text' was not taken: 'the uploaded file' is not a"* ]]
	run -1 cudadvise show 7
	[[ "$output" == "cudadvise: there is no run '7'"* ]]
}

@test "the text below a wide table is no wider than the terminal" {
	captures="$SOURCE/tests/captures/programs"
	for c in kernels roofline; do
		run -0 cudadvise $c "$captures/matrixmul.cadv"
		[ "${#lines[-1]}" -le 80 ]
		[ "${#lines[-2]}" -le 80 ]
	done
	run -0 cudadvise roofline "$captures/layernorm5.cadv"
	[[ "$output" != *…* ]]
}

@test "show: a capture of a newer version is refused as such" {
	make_capture old.cadv
	make_newer old.cadv new.cadv
	run cudadvise show new.cadv
	[ "$status" -eq 1 ]
	[[ "$output" == *newer* ]]
}

@test "findings and kernels take a capture" {
	make_capture x.cadv
	run cudadvise findings x.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *"Not measured: no GPU was used"* ]]
	[[ "$output" != *"Nothing found"* ]]
	run cudadvise kernels x.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *"No kernel"* ]]
	run cudadvise findings --json x.cadv
	echo "$output" | jq -e '.schema_version == 1 and (.items | length) == 0'
}

@test "rules and explain" {
	run cudadvise rules
	[ "$status" -eq 0 ]
	[[ "$output" == *uncoalesced-global-access* ]]
	for rule in $(cudadvise rules --json | jq -r '.items[].id'); do
		run cudadvise explain "$rule"
		[ "$status" -eq 0 ]
		[[ "$output" == *Why* ]]
		cudadvise explain --json "$rule" | jq -e ".id == \"$rule\" and
		    .schema_version == 1"
	done
	run cudadvise explain uncoal
	[ "$status" -eq 1 ]
	[[ "$output" == *"did you mean 'uncoalesced-global-access'"* ]]
}

@test "usage errors are 2" {
	run cudadvise nosuch
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown command 'nosuch'"* ]]
	run cudadvise --nosuch
	[ "$status" -eq 2 ]
	run cudadvise
	[ "$status" -eq 2 ]
	run cudadvise show a b
	[ "$status" -eq 2 ]
	run cudadvise explain
	[ "$status" -eq 2 ]
	run cudadvise daemon frobnicate
	[ "$status" -eq 2 ]
	run cudadvise completion tcsh
	[ "$status" -eq 2 ]
	run -2 cudadvise findings --since yesterday
	[[ "$output" == *"--since: 'yesterday' is no date"* ]]
	run -2 cudadvise findings --limit 1
	[[ "$output" == *"--limit is for the findings of all runs"* ]]
}

@test "every command explains itself" {
	for c in $(cudadvise help | awk '/^  [a-z]/ { print $1 }'); do
		run cudadvise "$c" --help
		[ "$status" -eq 0 ]
		[[ "$output" == "Usage: cudadvise $c "* ]]
		run cudadvise help "$c"
		[ "$status" -eq 0 ]
	done
	run cudadvise --version
	[ "$status" -eq 0 ]
	[[ "$output" == cudadvise\ [0-9]* ]]
}

@test "completion scripts parse, and know every command and its options" {
	cudadvise completion bash > bash.sh
	bash -n bash.sh
	for shell in bash zsh fish; do
		cudadvise completion $shell > script
		for c in $(cudadvise help | awk '/^  [a-z]/ { print $1 }'); do
			grep -q -w -- "$c" script
		done
		grep -q -- overhead-budget script
		grep -q -- max-stall script
	done
	complete_line() {
		bash -c 'source ./bash.sh; COMP_WORDS=("$@")
		    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cudadvise
		    echo "${COMPREPLY[*]}"' - "$@"
	}
	run complete_line cudadvise ca
	[ "$output" = calibrate ]
	run complete_line cudadvise run --lev
	[ "$output" = --level ]
	run complete_line cudadvise run --level ""
	[ "$output" = "trace counters source auto" ]
	run complete_line cudadvise explain shared-b
	[ "$output" = shared-bank-conflicts ]
	run complete_line cudadvise list --format = t
	[ "$output" = text ]
	# Completes the program's arguments, with or without bash-completion.
	touch unlikely-name
	for c in "run -l source" "run --max-stall 5" run sanitize \
	    "sanitize -t memcheck"; do
		run complete_line cudadvise $c cat unlikely-n
		[ "$output" = unlikely-name ]
	done
	# Completes runs if a daemon is running; starts none for that.
	run complete_line cudadvise rm ""
	[[ " $output " != *" 1 "* ]]
	run ! cudadvise daemon status -q
	cudadvise run -q true
	run complete_line cudadvise annotate -r ""
	[[ " $output " == *" 1 "* ]]
}

@test "an unknown word: the most similar one is suggested" {
	for pair in runn:run lst:list shwo:show reana:reanalyze; do
		run -2 cudadvise "${pair%:*}"
		[[ "$output" == *"did you mean '${pair#*:}'?"* ]]
	done
	run -2 cudadvise help dcotor
	[[ "$output" == *"did you mean 'doctor'?"* ]]
	run -2 cudadvise list --jsno
	[[ "$output" == *"did you mean --json?"* ]]
	for word in x frobnicate; do
		run -2 cudadvise "$word"
		[[ "$output" != *"did you mean"* ]]
	done
	run -2 cudadvise --json lst
	[[ "$output" == *"options come after the command"* ]]
	run -125 cudadvise run
	[[ "$output" == *"usage: cudadvise run [OPTION...] [--] PROGRAM"* ]]
}

@test "options may stand before the command" {
	cudadvise rules --json > after
	for options in --json -j "-f json" "--format=json --color never" "-q -j"; do
		cudadvise $options rules > before
		diff before after
	done
	# Options after the program are the program's.
	run -3 cudadvise -q run --no-daemon -o x.cadv sh -c 'exit 3' --json
	run -2 cudadvise --no-such-option rules
	[[ "$output" == *"unknown option '--no-such-option'"* ]]
}

@test "show -q: errors only; a requested file is written" {
	make_capture x.cadv
	run -0 cudadvise show -q x.cadv
	[ -z "$output" ]
	cudadvise show -q -o report x.cadv
	grep -q "^cudadvise · x.cadv" report
}

@test "a file in place of a run is reported as a file" {
	make_capture x.cadv
	for name in x.cadv ./x.cadv; do
		run -1 cudadvise findings --all-runs "$name"
		[[ "$output" == *"'$name' is a file: findings --all-runs takes a run"* ]]
		[[ "$output" == *"cudadvise import"* ]]
		run -1 cudadvise export --format capture "$name"
		[[ "$output" == *"'$name' is a file already"* ]]
	done
	run -1 cudadvise export ""
	[[ "$output" == *"an empty name is no run"* ]]
	run -1 cudadvise show ""
	[[ "$output" == *"an empty name is no run"* ]]
	# The command that the message about another file recommends does write
	# captures.
	run -1 cudadvise show "$BATS_TEST_FILENAME"
	[[ "$output" == *"run --no-daemon -o FILE"* ]]
	cudadvise import -q x.cadv
	cudadvise export --format capture 1 > y.cadv
	cudadvise show y.cadv
}

@test "list says that there are older runs" {
	make_capture x.cadv
	cudadvise import -q x.cadv
	for i in $(seq 19); do
		cudadvise run -q true
	done
	run -0 cudadvise list
	[[ "$output" != *"older ones"* ]]
	cudadvise run -q true
	run -0 cudadvise list
	[[ "$output" == *"older ones: cudadvise list --all"* ]]
	[ "${#lines[@]}" -eq 22 ]
	run -0 cudadvise list -n 3
	[ "${#lines[@]}" -eq 4 ]
}

@test "a pipe has no width: nothing is cut, unless COLUMNS says so" {
	long="true $(printf 'word%s ' $(seq 40))end"
	cudadvise run -q $long
	run -0 cudadvise list
	[[ "$output" != *" end"* ]]
	unset COLUMNS
	run -0 cudadvise list
	[[ "$output" == *"$long"* ]]
	cudadvise rules | grep -q 'code larger than the instruction .*[a-z]$'
}

@test "a narrow terminal: columns are left out, no line is wider" {
	cudadvise run -q -L "$(printf "word%s " $(seq 20))" true
	for width in 60 61 66 72 79 80 100; do
		for c in list rules; do
			COLUMNS=$width run -0 cudadvise $c
			for line in "${lines[@]}"; do
				[ "${#line}" -le "$width" ]
			done
		done
		[[ "$output" == *"device code built with -G"* ]]
	done
	COLUMNS=60 run -0 cudadvise list
	[[ "${lines[0]}" == "run started (UTC)"*"state"*"would save"*"command" ]]
	[[ "${lines[1]}" == *" word1 word2 word3"* ]]
	COLUMNS=80 run -0 cudadvise list
	[[ "${lines[0]}" == *" took findings would save command" ]]
	COLUMNS=80 run -0 cudadvise rules
	[[ "${lines[0]}" == "rule "*" category "*" needs "* ]]
}

@test "without HOME the account's directory is used" {
	unset CUDADVISE_STATE_DIR CUDADVISE_CONFIG
	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	[ -w "$home" ] || skip "the account has no directory"
	[ ! -e "$home/.local/state/cudadvise" ] || skip "it is in use"
	unset HOME
	run cudadvise doctor
	[[ "$output" != *"HOME is not set"* ]]
	[[ "$output" == *"$home/.local/state/cudadvise"* ]]
	rmdir "$home/.local/state/cudadvise"
}

@test "the manual has a section for every command" {
	command -v scdoc > /dev/null || skip "no scdoc"
	{ cat "$SOURCE/daemon/cli/man/cudadvise.head.scd"
	  cudadvise completion man
	  cat "$SOURCE/daemon/cli/man/cudadvise.tail.scd"; } | scdoc > page.1
	for c in $(cudadvise help | awk '/^  [a-z]/ { print $1 }'); do
		grep -q "^\.SS cudadvise $c" page.1
	done
	# The section about exit statuses must not contradict the commands that
	# answer with 1.
	for c in sanitize verify ab gate baseline; do
		awk '/^\.SH EXIT STATUS/, /^\.SH JSON/' page.1 |
		    grep -Eq "cudadvise $c|fB$c"
	done
	scdoc < "$SOURCE/daemon/cli/man/cudadvised.8.scd" > page.8
}

@test "doctor names each part, its state and a remedy" {
	run cudadvise doctor
	[ "$status" -le 1 ]
	for part in driver counters CUPTI injection daemon state calibration \
	    nvdisasm; do
		[[ "$output" == *"$part"* ]]
	done
	run cudadvise doctor --json
	status_json=$status
	echo "$output" | jq -e '.schema_version == 1 and
	    all(.items[]; .level == "ok" or .remedy != null or .text != "")'
	# The exit status agrees with the document.
	if [ "$status_json" -eq 0 ]; then
		echo "$output" | jq -e '.ok'
	else
		echo "$output" | jq -e '[.items[] | select(.level == "fail")] |
		    length > 0'
	fi
}

@test "doctor sees another profiler and MPS in the environment" {
	CUDA_INJECTION64_PATH=/x.so run cudadvise doctor
	[[ "$output" == *"CUDA_INJECTION64_PATH is set"* ]]
	CUDA_MPS_PIPE_DIRECTORY=/tmp/mps run cudadvise doctor
	[[ "$output" == *CUDA_MPS_PIPE_DIRECTORY* ]]
}

@test "doctor fails on a state directory that others can read" {
	mkdir -p "$CUDADVISE_STATE_DIR"
	chmod 755 "$CUDADVISE_STATE_DIR"
	run cudadvise doctor
	[ "$status" -eq 1 ]
	[[ "$output" == *"chmod 700"* ]]
	chmod 700 "$CUDADVISE_STATE_DIR"
}

@test "colour: never by itself in a pipe, always when told" {
	run cudadvise explain tail-effect
	[[ "$output" != *$'\033'* ]]
	run cudadvise explain --color always tail-effect
	[[ "$output" == *$'\033[1m'* ]]
	CLICOLOR_FORCE=1 run cudadvise explain tail-effect
	[[ "$output" != *$'\033[1m'* ]] || [ "$TERM" = dumb ]
	CLICOLOR_FORCE=1 NO_COLOR=1 run cudadvise explain tail-effect
	[[ "$output" != *$'\033'* ]]
}

@test "without a UTF-8 locale everything is ASCII" {
	make_capture x.cadv
	LC_ALL=C run cudadvise show x.cadv
	[ -z "$(LC_ALL=C grep -P '[^\x00-\x7f]' <<< "$output")" ]
}

@test "a full disk is an error, not a short file" {
	[ -e /dev/full ] || skip "no /dev/full"
	run bash -c 'cudadvise rules > /dev/full'
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot write"* ]]
	run cudadvise rules -o /dev/full
	[ "$status" -eq 1 ]
	# An answer that is passed on as it comes: one error, with the reason.
	cudadvise import -q "$captures/pairs/uncoalesced-global-access.good.cadv"
	run -1 bash -c 'cudadvise export -f html 1 > /dev/full'
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"No space left on device"* ]]
}

@test "run -o on a full disk: reported, and the exit status is the program's" {
	[ -e /dev/full ] || skip "no /dev/full"
	run -0 cudadvise run -o /dev/full true
	[[ "$output" == *"cannot write"* ]]
	run -3 cudadvise run -o /dev/full sh -c 'exit 3'
}

@test "--no-counters without --level source is an error before anything runs" {
	run -125 cudadvise run --no-counters sh -c 'echo ran'
	[[ "$output" == *"--no-counters is for --level source"* ]]
	[[ "$output" != *ran* ]]
}

@test "a pipe is no capture, and no command waits for its other end" {
	mkfifo pipe.cadv
	for c in show kernels findings roofline checklist annotate import; do
		run timeout 20 cudadvise $c ./pipe.cadv
		[ "$status" -ne 124 ]
		[ "$status" -ne 0 ]
		[[ "$output" == *"is not a regular file"* ]]
	done
	make_capture x.cadv
	run timeout 20 cudadvise compare x.cadv ./pipe.cadv
	[ "$status" -eq 1 ]
	[[ "$output" == *"is not a regular file"* ]]
}

@test "export -o: a device, a pipe or a link stays what it is" {
	local capture="$captures/pairs/uncoalesced-global-access.good.cadv"
	cudadvise export -f csv -o plain.csv "$capture"
	ln -s real.csv link.csv
	: > real.csv
	cudadvise export -f csv -o link.csv "$capture"
	[ -L link.csv ]
	cmp real.csv plain.csv
	mkfifo pipe
	cat pipe > piped.csv &
	timeout 20 cudadvise export -f csv -o pipe "$capture"
	wait $!
	[ -p pipe ]
	cmp piped.csv plain.csv
	[ -e /dev/full ] || return 0
	ln -s /dev/full full
	run -1 cudadvise export -f csv -o full "$capture"
	[[ "$output" == *"cannot write 'full': No space left on device"* ]]
	[ -L full ]
}

@test "README's example is what the recorded run shows" {
	example() { sed -n '/^  █.*GPU busy/,/^Clean /p'; }
	COLUMNS=80 run -0 cudadvise show \
	    "$captures/pairs/uncoalesced-global-access.bad.cadv"
	diff <(example < "$SOURCE/README.md") <(example <<< "$output")
	[ "$(example <<< "$output" | wc -l)" -gt 10 ]
}

@test "80 columns: a finding about the whole run begins with its title" {
	while read -r f title; do
		COLUMNS=80 cudadvise show "$captures/$f.cadv" > report
		grep -qE "^ 1  $title +[0-9.]+ ms " report
		[ "$(grep -c "$title" report)" -eq 1 ]	# and not once more
	done <<- END
		pairs/jit-at-startup.bad code compiled while the program runs
		programs/layernorm5 host waits for kernels too often
		pairs/allocation-in-hot-path.bad the run   allocations between launches
	END
}

# Commands and code are not broken, as they may be copied; no path is.
@test "40 columns: no text of a report is wider" {
	for f in "$captures"/programs/{layernorm,matrixmul,train}.cadv \
	    "$captures"/pairs/{array-of-structures,low-ilp}.bad.cadv; do
		for command in show findings kernels checklist; do
			COLUMNS=40 cudadvise $command "$f" > report
			grep -vE 'cudadvise |^ {8}|/|next measurement' report > text
			[ "$(wc -L < text)" -le 40 ]
		done
	done
}

# Recorded on an H200: loop() calls slow(), which keeps the processor busy for 4 ms.
@test "show: what a Python program was in while the GPU waited" {
	run cudadvise show "$captures/looks/busyloop.cadv"
	[ "$status" -eq 0 ]
	told=$(tr -s ' \n' '  ' <<< "$output")
	[[ "$told" == *"called from check.py:5 in slow():"* ]]
	[[ "$told" == *"meanwhile the host is in slow() at check.py:5 (97 %)"* ]]
}
