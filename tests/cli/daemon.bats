#!/usr/bin/env bats
# The commands with a real daemon, which they start themselves.

load common
bats_require_minimum_version 1.5.0

@test "run starts the daemon, and its report names a run that show knows" {
	run cudadvise run sh -c 'exit 3'
	[ "$status" -eq 3 ]
	[[ "$output" == *"run 1 "* ]]
	cudadvise daemon status
	run cudadvise show 1
	[ "$status" -eq 0 ]
	[[ "$output" == *"sh -c 'exit 3'"* ]]
	cudadvise show --json | jq -e '.run.exit_code == 3 and
	    .run.number == 1 and .run.state == "finished"'
}

@test "the report is the same from the daemon, from JSON and from a capture" {
	cudadvise run -q sh -c 'exit 3' || [ $? -eq 3 ]
	cudadvise export 1 --format capture -o one.cadv
	cudadvise show 1 | sed 's/· run 1/· X/; s/^  //' > a
	cudadvise show ./one.cadv | sed 's/· one.cadv/· X/; s/^  //' > b
	# The name's length changes line breaks, but not words.
	diff <(tr -s ' \n' '\n\n' < a) <(tr -s ' \n' '\n\n' < b)
}

@test "daemon start, status, stop" {
	run cudadvise daemon status
	[ "$status" -eq 1 ]
	[[ "$output" == *"daemon start"* ]]
	cudadvise daemon start
	cudadvise daemon start
	cudadvise daemon status
	cudadvise daemon status --json | jq -e '.running and
	    .pid > 1 and .version.version != null'
	cudadvise daemon stop
	run cudadvise daemon status
	[ "$status" -eq 1 ]
	cudadvise daemon stop
}

@test "a daemon that dies at once: noticed at once, with its last message" {
	mkdir there
	cp "$BIN/cudadvise" there/
	printf '#!/bin/sh\necho "cudadvised: no luck" >&2\nexit 3\n' \
	    > there/cudadvised
	chmod +x there/cudadvised
	# A command that waits does so every time: a busy machine is only
	# sometimes slow.
	for _ in 1 2 3 4 5; do
		start=$(date +%s%N)
		run there/cudadvise daemon start
		took=$(($(date +%s%N) - start))
		[ "$status" -eq 1 ]
		[ "$took" -ge 900000000 ] || break
	done
	[ "$took" -lt 900000000 ]
	[[ "$output" == *"did not start: no luck"* ]]
	[[ "$output" == *"$CUDADVISE_STATE_DIR/cudadvised.log"* ]]
}

@test "two commands that both start the daemon end up with one" {
	cudadvise list > a &
	one=$!
	cudadvise list > b
	wait $one
	cudadvise daemon status
}

@test "findings of all runs, of a practice, a program, a day; as text and as lines" {
	pairs=$SOURCE/tests/captures/pairs
	run -0 cudadvise findings --all-runs
	[[ "$output" == "No such finding in any run." ]]
	cudadvise import -q "$pairs"/{low-ilp,tail-effect,shared-bank-conflicts}.{bad,good}.cadv
	cudadvise findings --all-runs --format jsonl > all
	# Each run's own findings, newest run first.
	for i in 6 5 4 3 2 1; do
		cudadvise findings $i --format jsonl | jq -c "[$i, .id]"
	done > each
	diff <(jq -c '[.run.number, .id]' all) each
	[ "$(wc -l < all)" -ge 3 ]
	cudadvise findings --all-runs --json > all.json
	diff <(jq -c '.items[] | [.run.number, .id]' all.json) each
	run -0 cudadvise findings --all-runs -n 1
	[[ "${lines[0]}" == *"would save"*"rule"*"where"* ]]
	[[ "${lines[2]}" == *"there are more"* ]]
	[ "$(cudadvise findings --rule low-ilp --all-runs --format jsonl |
	    jq -r .rule | sort -u)" = low-ilp ]
	cudadvise findings --program BANK --severity medium --json | jq -e '
	    (.items | length > 0) and (.items | all(
	    (.run.command | contains("shared-bank-conflicts")) and
	    (.severity | IN("medium", "high"))))'
	[ "$(cudadvise findings --since 2100-01-01 --format jsonl)" = "" ]
	# The findings of one run have the same filters.
	[ "$(cudadvise findings 1 --rule low-ilp --json | jq -r '.items[].rule' |
	    sort -u)" = low-ilp ]
	[ "$(cudadvise findings "$pairs/tail-effect.bad.cadv" --severity high \
	    --format jsonl | jq -r .severity | sort -u)" = "" ]
	run -2 cudadvise findings --rule none
	run -2 cudadvise findings --severity worst
	run -2 cudadvise findings --since yesterday
	[[ "$output" == *"no date or instant"* ]]
	run -1 cudadvise findings --all-runs "$pairs/low-ilp.bad.cadv"
}

@test "list, newest first, and labels" {
	run cudadvise list
	[ "$status" -eq 0 ]
	[[ "$output" == *"No run is recorded yet"* ]]
	for i in 1 2 3; do cudadvise run -q -L "label $i" true; done
	run cudadvise list
	[[ "${lines[1]}" == *"3 "*"label 3"* ]]
	[[ "${lines[3]}" == *"1 "*"label 1"* ]]
	[ "$(count_runs)" -eq 3 ]
	[ "$(cudadvise list --json -n 2 | jq '.items | length')" -eq 2 ]
}

@test "a run by number, id and prefix; unknown ones are named" {
	cudadvise run -q true
	id=$(cudadvise show --json | jq -r .run.id)
	cudadvise show "$id" > /dev/null
	cudadvise show "${id:0:8}" > /dev/null
	for ref in 99 0123456789ab nonsense; do
		run cudadvise show "$ref"
		[ "$status" -eq 1 ]
		[[ "$output" == *"$ref"* ]]
		[[ "$output" == *"cudadvise list"* ]]
	done
}

@test "every command reports a daemon of another build, and what to do" {
	cudadvise daemon start -q
	run cudadvise list
	[[ "$output" != *"another build"* ]]
	mkdir other
	cp "$BIN/cudadvise" "$BIN/cudadvised" other/
	# Changes its build id, as if it were built from other sources.
	python3 - other/cudadvised <<-'SCRIPT'
		import subprocess, sys
		notes = subprocess.run(["readelf", "-n", sys.argv[1]],
		    capture_output=True, text=True).stdout
		id = bytes.fromhex(notes.split("Build ID:")[1].split()[0])
		data = open(sys.argv[1], "rb").read()
		assert data.count(id) == 1
		open(sys.argv[1], "wb").write(data.replace(id, id[::-1]))
	SCRIPT
	for c in list "daemon status" "run true"; do
		run -0 --separate-stderr other/cudadvise $c
		[[ "$stderr" == *"is of another build than this command"* ]]
		[[ "$stderr" == *"cudadvise daemon stop; the next"* ]]
	done
	run other/cudadvise doctor
	[[ "$output" == *"another build"* ]]
	run -0 --separate-stderr other/cudadvise list -q
	[ -z "$stderr" ]
	run -0 --separate-stderr other/cudadvise daemon stop
	[ -z "$stderr" ]
	run -0 --separate-stderr other/cudadvise list
	[[ "$stderr" != *"another build"* ]]
}

@test "import: a whole capture, and again: one run" {
	make_capture x.cadv
	run cudadvise import x.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *"run 1"* ]]
	run cudadvise import --print x.cadv
	[ "$status" -eq 0 ]
	[[ "$output" == *"run 1 "* ]]
	[ "$(count_runs)" -eq 1 ]
}

@test "import: truncated is taken, text, empty and newer are refused" {
	make_capture whole.cadv
	head -c $(($(stat -c %s whole.cadv) - 1)) whole.cadv > cut.cadv
	run cudadvise import cut.cadv
	[ "$status" -eq 0 ]
	echo 'this is no capture, and long enough to be looked at closely' > text
	: > empty
	make_newer whole.cadv new.cadv
	for f in text empty new.cadv missing .; do
		run cudadvise import "$f"
		[ "$status" -eq 1 ]
		[[ "$output" == *"$f"* ]]
	done
	run cudadvise import new.cadv
	[[ "$output" == *newer* ]]
	# A bad file does not prevent the import of the good one.
	run cudadvise import text whole.cadv
	[ "$status" -eq 1 ]
	[ "$(count_runs)" -eq 1 ]
}

# cut_before_last_words CAPTURE NEW: cut before the frame with the last BYE, so
# that the process did not report its end.
cut_before_last_words() {
	python3 - "$1" "$2" <<-'SCRIPT'
		import sys
		data = open(sys.argv[1], "rb").read()
		open(sys.argv[2], "wb").write(data[:data.rfind(b"CADF")])
	SCRIPT
}

@test "import and show: a capture that ends early is reported as such, and imported" {
	captures="$SOURCE/tests/captures/programs"
	whole="$captures/layernorm5.cadv"
	size=$(stat -c %s "$whole")
	# Cut in the middle of a frame.
	head -c $((size * 95 / 100)) "$whole" > cut.cadv
	run -0 --separate-stderr cudadvise import cut.cadv
	[ "$output" = "cut.cadv is run 1" ]
	said=$(tr -s ' \n' '  ' <<< "$stderr")
	[[ "$said" == *"'cut.cadv' ends early, in the middle of a frame: what came before is here, how much is missing is not known"* ]]
	run -0 cudadvise import -q cut.cadv
	[ -z "$output" ]
	# Cut between two frames: the process did not report its end.
	cudadvise rm 1
	cut_before_last_words "$whole" between.cadv
	run -0 --separate-stderr cudadvise import between.cadv
	said=$(tr -s ' \n' '  ' <<< "$stderr")
	[[ "$said" == *"'between.cadv' ends early: its program was killed, or the file was cut; how much is missing is not known"* ]]
	for run in "" ./between.cadv; do
		run -0 cudadvise show $run
		said=$(tr -s ' \n' '  ' <<< "$output")
		[[ "$said" == *"The record of 1 process ends early"*"nothing dropped of what arrived"* ]]
	done
	cudadvise show --json | jq -e '.run.data.unended == 1 and
	    (.run.data.complete | not)'
	# The whole file completes the run, and no warning is printed.
	run -0 --separate-stderr cudadvise import "$whole"
	[ -z "$stderr" ]
	cudadvise show --json | jq -e '.run.data.unended == 0 and
	    .run.data.complete'
	# Damage in the middle is not reported as an early end.
	cp "$whole" damaged.cadv
	printf '\377\377' | dd of=damaged.cadv bs=1 seek=$((size / 2)) \
	    conv=notrunc status=none
	run -0 --separate-stderr cudadvise import damaged.cadv
	[[ "$stderr" == *"damaged in 1 place;"* ]]
	[[ "$stderr" != *"ends early"* ]]
}

@test "what a live run refuses is reported once, in the command's words" {
	cudadvise run -q sh -c 'touch ready; while [ ! -e go ]; do sleep 0.05; done' &
	job=$!
	while [ ! -e ready ]; do sleep 0.05; done
	for c in rm reanalyze; do
		run -1 cudadvise $c 1
		[[ "$output" == "cudadvise: the run is still live: it cannot be"* ]]
		[[ "$output" != *'"detail"'* ]]
	done
	touch go
	wait $job
}

@test "compare: with the newest run, which has none after it" {
	for i in 1 2; do
		cudadvise run -q -L "$i" true
	done
	cudadvise run -q -L 3 false || true
	run -0 cudadvise compare 1
	[[ "$output" == *"before: run 1 "*"after: run 3 "* ]]
	run -1 cudadvise compare 3
	[[ "$output" == *"run 3 is the newest run"*"cudadvise compare 2 3"* ]]
	cudadvise run -q -L 4 true
	run -1 cudadvise compare --json 4
	[[ "$output" == *"cudadvise compare 2 4"* ]]	# of the same command
	cudadvise export --format capture 4 > four.cadv
	run -1 cudadvise compare four.cadv
	[[ "$output" == *"run 4 is the newest run"* ]]
	cudadvise rm 1 2 3
	run -1 cudadvise compare 4
	[[ "$output" == *"run the changed program first: cudadvise run"* ]]
	run -0 cudadvise compare 4 4
}

@test "import: of a program that was killed" {
	cudadvise run -q --no-daemon -o killed.cadv sh -c 'kill -9 $$' ||
	    [ $? -eq 137 ]
	run -0 --separate-stderr cudadvise import killed.cadv
	[ "$output" = "killed.cadv is run 1" ]
	[[ "$stderr" == *"'killed.cadv' ends early: its program was killed by signal 9"* ]]
}

@test "export: JSON and the capture, to a file or a pipe" {
	cudadvise run -q sh -c 'exit 3' || [ $? -eq 3 ]
	cudadvise export 1 | jq -e '.schema_version == 1'
	cudadvise export 1 -o one.json
	jq -e . one.json > /dev/null
	cudadvise export 1 --format capture > one.cadv
	run cudadvise show --json ./one.cadv
	echo "$output" | jq -e '.run.exit_code == 3'
	run cudadvise export 7 -o seven.json
	[ "$status" -eq 1 ]
	[ ! -e seven.json ]
	run cudadvise export 1 -o /nonexistent/x
	[ "$status" -eq 1 ]
}

@test "rm and reanalyze" {
	cudadvise run -q true
	cudadvise run -q true
	cudadvise reanalyze 1
	run cudadvise rm 1
	[ "$status" -eq 0 ]
	run cudadvise show 1
	[ "$status" -eq 1 ]
	[ "$(count_runs)" -eq 1 ]
	run cudadvise rm 1 2
	[ "$status" -eq 1 ]
	[ "$(count_runs)" -eq 0 ]
	run cudadvise reanalyze 2
	[ "$status" -eq 1 ]
}

@test "a program that cannot be started leaves no run" {
	printf '\177ELF nonsense' > bad
	chmod +x bad
	run cudadvise run ./bad
	[ "$status" -eq 126 ]
	run -127 cudadvise run ./missing
	# The daemon notices it after a while.
	for _ in $(seq 100); do
		[ "$(count_runs)" -gt 0 ] || break
		sleep 0.1
	done
	[ "$(count_runs)" -eq 0 ]
}

@test "run -o: the report goes to the file, JSON too" {
	cudadvise run -o report.txt sh -c 'exit 0' 2> err
	grep -q 'cudadvise · run 1' report.txt
	run -1 grep -q 'cudadvise · run' err
	cudadvise run --json -o report.json true
	jq -e '.schema_version == 1 and .run.number == 2' report.json
}

@test "the daemon dies during a run: the run is still complete" {
	cudadvise daemon start -q
	cudadvise run -q sh -c 'exit 0'
	cat > program <<-'SCRIPT'
		#!/bin/sh
		touch ready
		while [ ! -e go ]; do sleep 0.05; done
		exit 4
	SCRIPT
	chmod +x program
	cudadvise run ./program 2> err &
	job=$!
	while [ ! -e ready ]; do sleep 0.05; done
	kill -9 "$(cudadvise daemon status --json | jq .pid)"
	touch go
	status=0
	wait $job || status=$?
	[ "$status" -eq 4 ]
	cudadvise daemon start -q
	# The next daemon ingests what was spooled.
	for i in $(seq 300); do
		cudadvise show --json 2 > shown || true
		jq -e '.run.exit_code == 4' shown > /dev/null && break
		sleep 0.1
	done
	jq -e '.run.exit_code == 4 and .run.state == "finished"' shown
}

@test "dashboard prints an address with its token in the fragment" {
	run cudadvise dashboard
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^http://127\.0\.0\.1:[0-9]+/#.+ ]]
	cudadvise dashboard --json | jq -e '.schema_version == 1 and
	    (.url | startswith("http://127.0.0.1:"))'
}

@test "dashboard --open: the token is in no command line, the code is good once" {
	mkdir fake
	cat > fake/xdg-open <<-'SCRIPT'
		#!/bin/bash
		# Everything about a browser's start that any user can see.
		printf '%s\n' "$@" > argv
		cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' > cmdlines
		env > environment
	SCRIPT
	chmod +x fake/xdg-open
	cudadvise dashboard > url
	token=$(sed 's/.*token=//' url)
	[ ${#token} -eq 64 ]
	PATH="$PWD/fake:$PATH" cudadvise dashboard --open > said
	[ "$(cat said)" = "$(cat url)" ]
	[ "$(wc -l < argv)" -eq 1 ]
	grep -q -x -F -f argv cmdlines
	run -1 grep -F "$token" argv cmdlines environment
	run -1 grep -r -s -F "$token" "$CUDADVISE_RUNTIME_DIR" \
	    "$CUDADVISE_STATE_DIR"
	[[ "$(cat argv)" =~ ^(http://127\.0\.0\.1:[0-9]+/)open/[0-9a-f]{32}$ ]]
	ask() { curl -s -o page -w '%{redirect_url}' "$(cat argv)"; }
	[ "$(ask)" = "$(cat url)" ]
	[ "$(ask)" = "${BASH_REMATCH[1]}" ]
	curl -sfL "$(cat argv)" | grep -qi '<title>'
}

@test "dashboard opens the browser only at a desktop, on a terminal" {
	mkdir fake
	printf '#!/bin/sh\necho "$1" >> %s/opened\n' "$PWD" > fake/xdg-open
	chmod +x fake/xdg-open
	export PATH="$PWD/fake:$PATH" DISPLAY=:9
	unset SSH_CONNECTION
	cudadvise dashboard > url
	cudadvise daemon status > /dev/null
	[ ! -e opened ]
	# Runs it as on a terminal.
	on_terminal() { python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" \
	    < /dev/null | tr -d '\r'; }
	[ "$(on_terminal cudadvise dashboard --no-open)" = "$(cat url)" ]
	[ "$(DISPLAY= on_terminal cudadvise dashboard)" = "$(cat url)" ]
	[ "$(SSH_CONNECTION=x on_terminal cudadvise dashboard)" = "$(cat url)" ]
	[ ! -e opened ]
	[ "$(on_terminal cudadvise dashboard)" = "$(cat url)" ]
	[ "$(wc -l < opened)" -eq 1 ]
	# If --open was not given, a browser that fails is no error.
	printf '#!/bin/sh\nexit 3\n' > fake/xdg-open
	[ "$(on_terminal cudadvise dashboard)" = "$(cat url)" ]
	run -1 cudadvise dashboard --open
}

@test "dashboard: a daemon's token ends with it" {
	cudadvise dashboard > first
	cudadvise daemon stop -q
	cudadvise dashboard > second
	[ "$(sed 's/.*token=//' first)" != "$(sed 's/.*token=//' second)" ]
}

# A process that is killed listens until the system has taken it down, but never answers.
@test "daemon start: what listens without an answer is about to end" {
	api=$CUDADVISE_RUNTIME_DIR/api.sock
	mkdir -m 700 "$CUDADVISE_RUNTIME_DIR"
	python3 - "$api" 3>&- <<-'SCRIPT' &
	import socket, sys, time
	s = socket.socket(socket.AF_UNIX)
	s.bind(sys.argv[1])
	s.listen(8)
	time.sleep(1)
	SCRIPT
	until [ -S "$api" ]; do sleep 0.02; done
	run cudadvise daemon start
	[ "$status" -eq 0 ]
	[[ "$output" == *"is running"* ]]
	wait
}

@test "the daemon keeps no descriptor of the process that started it" {
	# If the daemon kept the pipe open, this would wait until the daemon ends.
	run timeout 30 bash -c 'cudadvise daemon start | cat'
	[ "$status" -eq 0 ]
}

@test "installed: the command finds its data, the service its program" {
	build=$(dirname "$BIN")
	cmake --install "$build" --prefix "$PWD/p" >/dev/null
	exec_start=$(sed -n 's/^ExecStart=//p' \
	    p/share/systemd/user/cudadvised.service)
	[ "$exec_start" = "$PWD/p/bin/cudadvised --foreground" ]
	[ -x "${exec_start% *}" ]
	[ -e p/share/systemd/user/cudadvised.socket ]
	unset CUDADVISE_DATA_DIR
	p/bin/cudadvise daemon start -q
	p/bin/cudadvise explain uncoalesced-global-access >out
	grep -q coalesc out
	p/bin/cudadvise daemon stop -q
}

@test "dashboard: another port than it has is refused, with the reason alone" {
	cudadvise dashboard > url
	run -1 cudadvise dashboard --port 9
	[[ "$output" == *"the dashboard is at port "*" already"* ]]
	[[ "$output" != *live* ]]
	run -0 cudadvise dashboard
	[ "$output" = "$(cat url)" ]
}

@test "export -o does not follow a link in the place of its temporary file" {
	cudadvise run -q true
	echo precious > victim
	# exec keeps the shell's process id, so the temporary file's name is known.
	bash -c 'ln -s victim "out.json.part-$$"
	    exec cudadvise export -o out.json 1'
	[ "$(cat victim)" = precious ]
	[ ! -L out.json ]
	jq -e . out.json
	[ "$(stat -c %a out.json)" = "$(printf '%o' $((0666 & ~$(umask))))" ]
	# No other file is left.
	rm out.json.part-*
	[ "$(ls)" = "$(printf 'out.json\nvictim')" ]
}
