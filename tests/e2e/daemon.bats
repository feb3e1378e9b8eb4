# The daemon is killed, stopped, restarted or missing: no record is lost, and
# the program is not affected.

load common

# Starts a run of 6000 launches over about 3 seconds, in the background.
start_long() {
	"$bin/cudadvise" daemon start >/dev/null
	"$bin/cudadvise" run --level trace -- "$target" --kernels 6000 \
	    --signatures 6 --pause-us 400 --stdout begun --exit-code 4 \
	    >out 2>report &
	job=$!
	for _ in $(seq 600); do
		grep -q begun out && break
		sleep 0.05
	done
	program=$(target_of $job)
	sleep 0.7
}

finish_long() {
	wait $job || got=$?
	same "exit code" "$got" 4
	same "output" "$(cat out)" begun
}

# until_complete LAUNCHES: wait until the newest run has so many launches and has ended.
until_complete() {
	for _ in $(seq 600); do
		load 2>/dev/null && [ "$(of .run.launches)" = "$1" ] &&
		    [ "$(of .run.state)" != live ] && break
		sleep 0.1
	done
	has_launches "$1" "$2"
	same "duplicates or gaps" "$(of .run.data.lost_by.sequence)" 0
}

@test "killed in the middle of a run and started again: nothing is lost" {
	start_long
	kill -KILL "$(daemon_pid)"
	sleep 0.3
	"$bin/cudadvise" daemon start >/dev/null
	finish_long
	until_complete 6000 6
	same "spools left" "$(find "$T/s/spool" -name '*.spool' | wc -l)" 0
}

@test "killed, and started again only after the run" {
	start_long
	kill -KILL "$(daemon_pid)"
	finish_long
	"$bin/cudadvise" daemon start >/dev/null
	until_complete 6000 6
}

@test "killed twice" {
	start_long
	for _ in 1 2; do
		kill -KILL "$(daemon_pid)"
		sleep 0.2
		"$bin/cudadvise" daemon start >/dev/null
		sleep 0.5
	done
	finish_long
	until_complete 6000 6
}

@test "stopped (SIGSTOP): the program goes on, the data comes later" {
	start_long
	pid=$(daemon_pid)
	kill -STOP "$pid"
	start=$SECONDS
	# The launcher waits some seconds for its report, but the target must not wait.
	while is_running "$program"; do
		sleep 0.1
		[ $((SECONDS - start)) -lt 120 ] ||
		    fail "the target is blocked"
	done
	kill -CONT "$pid"
	finish_long
	until_complete 6000 6
}

@test "live runs are visible while they run" {
	start_long
	# Stop the program, so that it has not ended by the time the list is read.
	kill -STOP "$program"
	"$bin/cudadvise" list --json >list.json
	kill -CONT "$program"
	same "state" "$(jq -r '.items[0].state' list.json)" live
	finish_long
	until_complete 6000 6
}

@test "no daemon can be started: the run is recorded to a capture" {
	mkdir -p "$T/elsewhere"
	touch "$T/notadir"
	CUDADVISE_RUNTIME_DIR=$T/notadir/x "$bin/cudadvise" run -- "$target" \
	    --kernels 50 --exit-code 3 >out 2>report || got=$?
	same "exit code" "$got" 3
	file=$(find "$T" -name '*.cadv' | head -n 1)
	[ -n "$file" ] || fail "no capture"
	load "$file"
	same "launches" "$(of .run.launches)" 50
}

# The lock is held as by a daemon that is ending and has closed its sockets; its
# process id is gone before its lock is.
@test "another daemon's lock: the run waits for it, and is stored by the next daemon" {
	mkdir -m 700 "$T/r"
	echo 999999999 >"$T/r/cudadvised.pid"
	flock "$T/r/cudadvised.pid" sleep 0.5 3>&- &
	for _ in $(seq 500); do
		flock -n "$T/r/cudadvised.pid" true || break
	done
	measure --kernels 50 || fail "exit code $?"
	! grep -q "no daemon" report || fail "recorded elsewhere"
	load
	same "launches" "$(of .run.launches)" 50
}

@test "--require-daemon: the program does not start without one" {
	touch "$T/notadir"
	CUDADVISE_RUNTIME_DIR=$T/notadir/x "$bin/cudadvise" run \
	    --require-daemon -- "$target" --stdout started >out 2>report ||
	    got=$?
	same "exit code" "$got" 125
	same "output" "$(cat out)" ""
}

@test "runs that the store lost are restored from the captures" {
	options=
	measure --kernels 200 --signatures 4
	load
	cp run.json before.json
	"$bin/cudadvise" reanalyze "$(of .run.id)"
	load
	has_launches 200 4
	diff <(jq -S '.run.summary' before.json) <(jq -S '.run.summary' run.json)
}

@test "the daemon ends within seconds when asked to, whatever it is doing" {
	# A disassembler that hangs makes each import take 3 s, one after another.
	cat >slow <<-SCRIPT
		#!/bin/sh
		case \$1 in
		--version) echo 'Cuda compilation tools, release 13.0, V13.0.85' ;;
		*) exec sleep 1000 ;;
		esac
	SCRIPT
	chmod +x slow
	for i in 1 2 3 4; do
		CUDADVISE_NVDISASM=/none "$bin/cudadvise" run -q --no-daemon \
		    --level source -o $i.cadv -- "$target" --kernels 100 \
		    --signatures 2
	done
	CUDADVISE_NVDISASM=$T/slow "$bin/cudadvise" daemon start >/dev/null
	pid=$(daemon_pid)
	for i in 1 2 3 4; do
		"$bin/cudadvise" import -q $i.cadv 2>refused$i &
	done
	for _ in $(seq 300); do
		pgrep -P "$pid" -x sleep && break
		sleep 0.05
	done
	kill -TERM "$pid"
	for _ in $(seq 600); do
		is_running "$pid" || break
		sleep 0.1
	done
	! is_running "$pid" || fail "it goes on"
	wait
	# The daemon did not finish all of it first: the clients get an error,
	# and the next daemon can start.
	grep -qE 'the daemon (is ending|did not answer)' refused? ||
	    fail "nobody was told"
	export CUDADVISE_NVDISASM=/none
	"$bin/cudadvise" import -q ?.cadv
	same "runs" "$("$bin/cudadvise" list --json | jq -r '[.items[] |
	    select(.state == "finished")] | length')" 4
}
