#!/usr/bin/env bats
# `cudadvise run --twice`: first traced, then measured.

load common
bats_require_minimum_version 1.5.0

twice() {
	cudadvise run -q --no-daemon -o x.cadv --twice "$@"
}

@test "first traced, then measured; the first has input, output and status" {
	cat > prog <<-'SCRIPT'
		echo "$CUDADVISE_LEVEL $(cat)" >> levels
		echo out
		echo err >&2
		exit $(($(wc -l < levels) - 1))
	SCRIPT
	printf 'not this\nthis' > input
	{
		read -r line
		CUDA_INJECTION64_PATH=/x.so cudadvise run --no-daemon \
		    -o x.cadv --twice sh prog > out 2> err
	} < input
	[ "$line" = "not this" ]
	# A file at standard input is read again from its position; output is
	# printed once.
	[ "$(cat levels)" = "$(printf 'trace this\nauto this')" ]
	[ "$(cat out)" = out ]
	[ "$(grep -c '^err$' err)" -eq 1 ]
	# The different exit status of the second run is reported, nothing else.
	grep -q 'the second run ended with status 1, the first with 0' err
	# Warnings about both runs are printed once.
	[ "$(grep -c "CUDA_INJECTION64_PATH was set" err)" -eq 1 ]
	# Both runs are kept.
	cudadvise show --json x.traced.cadv | jq -e '.run.level == "trace" and
	    .run.label == "traced" and .run.exit_code == 0'
	cudadvise show --json x.cadv | jq -e '.run.level == "auto" and
	    .run.label == "" and .run.exit_code == 1'
	[ "$(ls -A)" = "$(printf '%s\n' err input levels out prog x.cadv \
	    x.traced.cadv)" ]
}

@test "a program that fails is not run again, and its status stays" {
	run twice --label mine sh -c 'echo run >> runs; exit 3' < /dev/null
	[ "$status" -eq 3 ]
	[ "$(wc -l < runs)" -eq 1 ]
	cudadvise show --json x.traced.cadv | jq -e '.run.label ==
	    "mine, traced" and .run.exit_code == 3'
	run cudadvise run --no-daemon -o x.cadv --twice \
	    sh -c 'echo run >> runs; kill -9 $$' < /dev/null
	[ "$status" -eq 137 ]
	[ "$(wc -l < runs)" -eq 2 ]
	[[ $output == *"the program failed: it is not run a second time"* ]]
	run -127 twice no-such-program < /dev/null
}

@test "input that cannot be read twice is refused before anything runs" {
	run bash -c 'echo a | cudadvise run --no-daemon --twice touch started'
	[ "$status" -eq 125 ]
	[[ $output == *"standard input comes through a pipe"* ]]
	run twice --level trace touch started < /dev/null
	[ "$status" -eq 125 ]
	[[ $output == *"--twice would be tracing twice"* ]]
	[ ! -e started ]
	# Without standard input both runs have none.
	run bash -c 'cudadvise run -q --no-daemon -o x.cadv --twice \
	    sh -c "echo run >> runs" <&-'
	[ "$status" -eq 0 ]
	[ "$(wc -l < runs)" -eq 2 ]
}

@test "on a terminal: the second run reads nothing, and a line says that it runs" {
	cat > prog <<-'SCRIPT'
		[ -t 0 ] && echo first || {
			cat > second
			until [ -e shown ]; do sleep 0.05; done
			echo never
		}
	SCRIPT
	run on_terminal "which prints nothing" "touch shown" \
	    cudadvise run --no-daemon -o x.cadv --twice sh prog
	[ "${lines[-1]}" -eq 0 ]
	[[ $output == *first* ]]
	[[ $output != *never* ]]
	[ -e second ] && [ ! -s second ]
	# The line is drawn over itself, and removed before the report.
	drawn='CRcudadvise: the second run, which prints nothing: [0-9]+ sESC\[K'
	[[ $output =~ $drawn ]]
	[[ $output =~ ${drawn}CRESC\[K ]]
	# Not printed where it could not be removed.
	run cudadvise run --no-daemon -o x.cadv --twice sh prog < /dev/null
	[[ $output != *"which prints"* ]]
}

@test "on a terminal: a line says what the command waits for after the program's end" {
	cudadvise daemon start -q
	cat > prog <<-'SCRIPT'
		pid=$(cat "$CUDADVISE_RUNTIME_DIR/cudadvised.pid")
		sleep 0.3	# what the command asks at the start is answered
		kill -STOP "$pid"
		# Waits until all threads are stopped, before the run is stored.
		while grep -L '^State:.T' /proc/$pid/task/*/status | grep -q .; do
			sleep 0.01
		done
	SCRIPT
	go_on='kill -CONT $(cat "$CUDADVISE_RUNTIME_DIR/cudadvised.pid")'
	run on_terminal "handing in the run" "$go_on" cudadvise run sh prog
	[ "${lines[-1]}" -eq 0 ]
	drawn='CRcudadvise: handing in the run: [0-9]+ sESC\[KCRESC\[K'
	[[ $output =~ $drawn ]]
}
