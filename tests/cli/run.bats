#!/usr/bin/env bats
# `cudadvise run` without a daemon: the program must not be affected.

load common
bats_require_minimum_version 1.5.0

quiet() {
	cudadvise run -q --no-daemon -o x.cadv "$@"
}

@test "the exit status is the program's" {
	run quiet sh -c 'exit 3'
	[ "$status" -eq 3 ]
	run quiet true
	[ "$status" -eq 0 ]
	run quiet sh -c 'exit 255'
	[ "$status" -eq 255 ]
}

@test "if a signal kills the program, the same signal ends the command" {
	for sig in 9 15 6 11 2; do
		# A shell prints 128 + n both for a signal and for an exit
		# status; python tells them apart.
		run attended python3 -c '
import subprocess, sys
p = subprocess.run(["cudadvise", "run", "-q", "--no-daemon", "-o", "x.cadv",
    "sh", "-c", "kill -%s $$" % sys.argv[1]])
print(p.returncode)' "$sig"
		[ "${lines[-1]}" = "-$sig" ]
	done
}

@test "127: not found, 126: not executable, 125: our own usage" {
	run -127 quiet no-such-program-anywhere
	[[ "$output" == *no-such-program-anywhere* ]]
	run -127 quiet ./missing
	echo text > plain
	run quiet ./plain
	[ "$status" -eq 126 ]
	run quiet /
	[ "$status" -eq 126 ]
	run cudadvise run
	[ "$status" -eq 125 ]
	run cudadvise run --nosuch true
	[ "$status" -eq 125 ]
	run cudadvise run --level fast true
	[ "$status" -eq 125 ]
	run cudadvise run --no-daemon -o /nonexistent/x.cadv true
	[ "$status" -eq 125 ]
	[[ "$output" == */nonexistent* ]]
}

@test "a file that is found but is no program is 126 and leaves no capture" {
	printf '\177ELF nonsense' > bad
	chmod +x bad
	run quiet ./bad
	[ "$status" -eq 126 ]
	[ ! -e x.cadv ]
	[ -z "$(ls -A | grep -v '^bad$')" ]
}

@test "a script without an interpreter line runs, as in a shell" {
	echo 'exit 7' > script
	chmod +x script
	run quiet ./script
	[ "$status" -eq 7 ]
}

@test "PATH is searched as the shell does" {
	mkdir one two
	echo text > one/prog
	printf '#!/bin/sh\nexit 9\n' > two/prog
	chmod +x two/prog
	PATH="$PWD/one:$PWD/two:$PATH" run quiet prog
	[ "$status" -eq 9 ]
	PATH="$PWD/one:$PATH" run quiet prog
	[ "$status" -eq 126 ]
}

@test "standard output is the program's alone" {
	cudadvise run --no-daemon -o x.cadv sh -c 'echo out; echo err >&2' \
	    > out 2> err
	[ "$(cat out)" = out ]
	grep -q '^err$' err
	grep -q 'No CUDA call was seen' err
}

@test "standard input passes through" {
	run bash -c 'printf "a\nb\n" | cudadvise run -q --no-daemon -o x.cadv cat'
	[ "$status" -eq 0 ]
	[ "$output" = "a
b" ]
}

@test "options after the program are the program's" {
	run quiet echo --level -q
	[ "$output" = "--level -q" ]
	run quiet -- printf %s --help
	[ "$output" = "--help" ]
}

@test "--max-stall reaches the library: given, configured, or 100 ms" {
	run quiet printenv CUDADVISE_MAX_STALL
	[ "$output" = 100 ]
	printf '[run]\nmax_stall_ms = 25\n' > "$CUDADVISE_CONFIG"
	run quiet printenv CUDADVISE_MAX_STALL
	[ "$output" = 25 ]
	# Not the value from the environment of the command.
	CUDADVISE_MAX_STALL=9 run quiet --max-stall 250 \
	    printenv CUDADVISE_MAX_STALL
	[ "$output" = 250 ]
	run quiet --max-stall 0 touch started
	[ "$status" -eq 125 ] || [ "$status" -eq 2 ]
	[ ! -e started ]
}

@test "the level reaches the library and the run: given, configured, or auto" {
	run quiet printenv CUDADVISE_LEVEL
	[ "$output" = auto ]
	[ "$(cudadvise show --json x.cadv | jq -r .run.level)" = auto ]
	printf '[run]\nlevel = counters\n' > "$CUDADVISE_CONFIG"
	CUDADVISE_LEVEL=trace run quiet printenv CUDADVISE_LEVEL
	[ "$output" = counters ]
	run quiet --level source printenv CUDADVISE_LEVEL
	[ "$output" = source ]
	[ "$(cudadvise show --json x.cadv | jq -r .run.level)" = source ]
}

@test "--kernel and --launches reach the library, and no earlier ones do" {
	CUDADVISE_KERNEL=a CUDADVISE_LAUNCHES=1:2 run quiet \
	    sh -c 'echo "${CUDADVISE_KERNEL-none} ${CUDADVISE_LAUNCHES-none}"'
	[ "$output" = "none none" ]
	run quiet --kernel 'gemm|axpy$' --launches 3:7 \
	    sh -c 'echo "$CUDADVISE_KERNEL $CUDADVISE_LAUNCHES"'
	[ "$output" = 'gemm|axpy$ 3:7' ]
	run quiet --level trace --kernel gemm touch started
	[ "$status" -eq 125 ]
	[[ $output == *"--level trace measures no kernel"* ]]
	[ ! -e started ]
}

@test "the report is not sent to the program's output when it is JSON" {
	cudadvise run --json --no-daemon -o x.cadv echo hi > out 2> err
	[ "$(cat out)" = hi ]
	sed -n '/^{/,/^}/p' err | jq -e '.schema_version == 1 and
	    .run.exit_code == 0 and .run.command == "echo hi"'
}

@test "Ctrl-C goes to the program, and the command waits for it" {
	cat > catch <<-'SCRIPT'
		#!/bin/sh
		trap 'echo caught; exit 5' INT
		echo ready
		while :; do sleep 0.05; done
	SCRIPT
	chmod +x catch
	# In a session of its own, so that the signal goes to its whole group,
	# as from a terminal.
	run attended python3 -c '
import os, signal, subprocess
p = subprocess.Popen(["cudadvise", "run", "-q", "--no-daemon", "-o", "x.cadv",
    "./catch"], stdout=subprocess.PIPE, start_new_session=True)
p.stdout.readline()
os.killpg(p.pid, signal.SIGINT)
print(p.stdout.read().decode().strip(), p.wait())'
	[ "${lines[-1]}" = "caught 5" ]
	[ -s x.cadv ]
}

@test "TERM and HUP sent to the command alone are passed on" {
	cat > catch <<-'SCRIPT'
		#!/bin/sh
		trap 'exit 6' TERM
		trap 'exit 7' HUP
		echo ready
		while :; do sleep 0.05; done
	SCRIPT
	chmod +x catch
	for pair in TERM:6 HUP:7; do
		run attended python3 -c '
import os, signal, subprocess, sys
p = subprocess.Popen(["cudadvise", "run", "-q", "--no-daemon", "-o", "x.cadv",
    "./catch"], stdout=subprocess.PIPE)
p.stdout.readline()
p.send_signal(getattr(signal, "SIG" + sys.argv[1]))
print(p.wait())' "${pair%:*}"
		[ "${lines[-1]}" = "${pair#*:}" ]
	done
}

@test "signal dispositions reach the program as they were" {
	run bash -c 'trap "" HUP; cudadvise run -q --no-daemon -o x.cadv \
	    grep SigIgn /proc/self/status'
	ignored=${lines[-1]##*[[:space:]]}
	[ $((0x$ignored & 1)) -eq 1 ]	# HUP, as with nohup
	run attended cudadvise run -q --no-daemon -o x.cadv \
	    grep SigIgn /proc/self/status
	ignored=${lines[-1]##*[[:space:]]}
	# cudadvise ignores INT, QUIT and PIPE; the program must not.
	[ $((0x$ignored & 0x1006)) -eq 0 ]
	run cudadvise run -q --no-daemon -o x.cadv grep SigBlk /proc/self/status
	[ "${lines[-1]##*[[:space:]]}" = 0000000000000000 ]
}

@test "the program inherits no descriptor of the command" {
	run bash -c 'ls /proc/self/fd | wc -l'
	plain=$output
	run bash -c 'cudadvise run -q --no-daemon -o x.cadv bash -c \
	    "ls /proc/self/fd | wc -l"'
	[ "${lines[-1]}" = "$plain" ]
}

@test "--no-daemon writes a capture under the name it says" {
	run cudadvise run --no-daemon true
	[ "$status" -eq 0 ]
	capture=$(ls cudadvise-*.cadv)
	[ -s "$capture" ]
	[[ "$output" == *"$capture"* ]]
	# No other file is left.
	[ "$(ls -A | wc -l)" -eq 1 ]
	[ ! -e "$CUDADVISE_RUNTIME_DIR/api.sock" ]
}

@test "an existing capture is replaced by a complete one" {
	echo old > x.cadv
	run quiet true
	[ "$status" -eq 0 ]
	run cudadvise show x.cadv
	[ "$status" -eq 0 ]
}

@test "a read-only current directory: the capture goes to the state directory" {
	[ "$(id -u)" -ne 0 ] || skip "root can write everywhere"
	mkdir closed
	chmod 500 closed
	cd closed
	run cudadvise run --no-daemon sh -c 'exit 4'
	[ "$status" -eq 4 ]
	[[ "$output" == *"$CUDADVISE_STATE_DIR"* ]]
}

# /proc refuses new files even to root.
@test "no place but for temporary files: the program runs, the capture goes there" {
	mkdir temporary
	export CUDADVISE_STATE_DIR=/proc/none TMPDIR=$PWD/temporary
	here=$PWD
	cd /proc
	for option in "" --no-daemon "-o $here/report.txt"; do
		run cudadvise run $option sh -c 'exit 3'
		[ "$status" -eq 3 ]
		file=$(echo "$TMPDIR"/cudadvise-*.cadv)
		[ -f "$file" ]
		rm "$file"
	done
	run quiet sh -c 'exit 4'
	[ "$status" -eq 125 ]	# of -o in a directory that cannot be written
	run cudadvise run --no-daemon -o "$here/x.cadv" sh -c 'exit 4'
	[ "$status" -eq 4 ]
	[ -f "$here/x.cadv" ]
}

@test "no place at all: 125 before the start, with each place and the remedy" {
	export CUDADVISE_STATE_DIR=/proc/none TMPDIR=/proc/nothing
	here=$PWD
	cd /proc
	run cudadvise run touch "$here/started"
	[ "$status" -eq 125 ]
	[ ! -e "$here/started" ]
	text=$(tr -s ' \n' '  ' <<< "$output")
	[[ "$text" == *"'/proc'"*"'/proc/none'"*"'/proc/nothing'"* ]]
	[[ "$text" == *"--no-daemon -o FILE"* ]]
}

@test "a closed standard error does not change the exit status" {
	run bash -c 'cudadvise run --no-daemon -o x.cadv sh -c "exit 3" 2>&-'
	[ "$status" -eq 3 ]
	bash -c '(cudadvise run --no-daemon -o x.cadv sh -c "exit 3"; \
	    echo $? > status) 2> >(exec true)' || true
	[ "$(cat status)" -eq 3 ]
}

@test "the capture knows the command, the label and how it ended" {
	run quiet --label 'my "label"' sh -c 'exit 3'
	run cudadvise show --json x.cadv
	[ "$status" -eq 0 ]
	echo "$output" | jq -e '.schema_version == 1 and
	    .run.label == "my \"label\"" and .run.exit_code == 3 and
	    .run.command == "sh -c '\''exit 3'\''" and
	    .run.state == "finished" and .run.wall_ns > 0'
}

@test "a label with a line feed or controls stays on its line" {
	quiet --label $'one\ntwo\r\e[31m\u202e' true
	for command in show findings checklist kernels; do
		cudadvise $command x.cadv > report
		! grep -q $'[\e\r]' report
		! grep -q '^two' report
	done
	[[ "$(cudadvise show x.cadv | head -n 1)" == *"one?two?"* ]]
}

@test "an unreachable daemon: one warning, and the run goes on" {
	export CUDADVISE_RUNTIME_DIR=/dev/null/nowhere
	run cudadvise run sh -c 'exit 3'
	[ "$status" -eq 3 ]
	[ "$(grep -c 'no daemon' <<< "$output")" -eq 1 ]
	[ -s cudadvise-*.cadv ]
}

@test "--require-daemon: 125, and the program does not start" {
	export CUDADVISE_RUNTIME_DIR=/dev/null/nowhere
	run cudadvise run --require-daemon touch started
	[ "$status" -eq 125 ]
	[ ! -e started ]
}

@test "a broken configuration is 125, and named" {
	echo 'nonsense = 1' > "$CUDADVISE_CONFIG"
	run cudadvise run --no-daemon touch started
	[ "$status" -eq 125 ]
	[ ! -e started ]
	[[ "$output" == *cudadvised.conf* ]]
}

@test "on a terminal: it is the program's, and so is its Ctrl-C" {
	run on_terminal go "printf '\\003'" cudadvise run -q --no-daemon -o x.cadv \
	    sh -c "test -t 0 && test -t 1 && echo is-tty
	    trap 'echo caught; exit 5' INT; echo go; while :; do sleep 0.05; done"
	[[ "$output" == *is-tty* ]]
	[[ "$output" == *caught* ]]
	[ "${lines[-1]}" = 5 ]
}

@test "a script whose interpreter is missing is not reported as missing" {
	printf '#!/no/such/interpreter\n' > script
	chmod +x script
	run -127 cudadvise run ./script
	[[ "$output" == *"cannot execute './script': the interpreter"* ]]
	[[ "$output" != *"No such file"* ]]
}
