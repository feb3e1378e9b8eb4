# The target, the daemon or both are killed while code is being sent. The mock's
# module is padded with 30 MiB of incompressible data, which take many frames.
# As soon as some of them are in the capture both processes are stopped, for as
# long as the test needs. Afterwards the capture must be readable, the run must
# tell how it ended, and no process may wait for another.

load common

padded_cubin() {
	cp "$BATS_TEST_DIRNAME/../mock/kernels.cubin" "$T/big.cubin"
	head -c 30M /dev/urandom >>"$T/big.cubin"
	export MOCK_CUBIN=$T/big.cubin
}

# Starts a run of some seconds at level source in the background, and returns
# when it has begun but its code is not sent completely.
start_source() {
	padded_cubin
	"$bin/cudadvise" run $patient --level source "$@" -- "$target" --kernels 6000 \
	    --signatures 8 --kernel-us 20 --pause-us 700 --stdout begun \
	    --exit-code 4 >out 2>report &
	job=$!
	for _ in $(seq 1500); do
		grep -q begun out && break
		sleep 0.02
	done
	grep -q begun out || fail "it did not begin"
	program=$(target_of $job)
}

# finish SECONDS STATUS: the command must end in time, with this status.
finish() {
	local got=0 end=$((SECONDS + $1))
	while kill -0 $job 2>/dev/null; do
		[ $SECONDS -lt $end ] || {
			kill -KILL $job
			fail "it hangs"
			return
		}
		sleep 0.1
	done
	wait $job || got=$?
	same "exit code" "$got" "$2"
}

# captured DIRECTORY LEAST: whether there is a capture of more than so many MiB.
captured() {
	[ -n "$(find "$1" -name '*.cadv' -size +"$2"M 2>/dev/null)" ]
}

# Whether the capture also has a kernel. On a busy machine code may come first.
has_kernel() {
	find "$T/s/runs" -name '*.cadv' -exec "$bin/cudadvise" show --json {} \; \
	    2>/dev/null | jq -e '.kernels | length > 0' >/dev/null
}

# Stops both while code is being sent; returns 1 if it is too late for that.
stop_in_code() {
	daemon=$(daemon_pid)
	# Both are stopped before each check, so that the code cannot complete
	# in between.
	for _ in $(seq 3000); do
		kill -STOP "$daemon"
		kill -STOP "$program" || return 1
		captured "$T/s/runs" 2 && has_kernel && break
		kill -CONT "$daemon" "$program"
		sleep 0.005
	done
	captured "$T/s/runs" 2 && has_kernel && is_running "$program" &&
	    ! captured "$T/s/runs" 28
}

# Starts a run whose program and daemon are stopped while code is being sent. On
# a busy machine all code may get through between two checks: then tries again.
start_in_code() {
	for _ in 1 2 3 4 5 6; do
		"$bin/cudadvise" daemon start >/dev/null
		start_source
		stop_in_code && return
		kill -KILL "$program" "$daemon" || true
		wait $job || true
		rm -rf "$T/s" "$T/r"
	done
	fail "none of the code came, or each time all of it"
}

# Waits until the newest run is over; writes it to run.json.
until_over() {
	for _ in $(seq 600); do
		load 2>/dev/null && [ "$(of .run.state)" != live ] &&
		    [ "$(of '.run.summary != null')" = true ] && return
		sleep 0.1
	done
	fail "the run does not end"
}

# The capture must be valid as far as it goes, and show the same when read elsewhere.
readable() {
	"$bin/cudadvise" export --format capture -o "$T/c.cadv" \
	    "$(of .run.id)" || fail "no capture"
	"$bin/cudadvise" show "$T/c.cadv" >text 2>errors ||
	    fail "$(cat errors)"
	! grep -q -e damaged -e "middle of a frame" errors ||
	    fail "$(cat errors)"
	"$bin/cudadvise" show --json "$T/c.cadv" >file.json
	same "launches elsewhere" "$(jq .run.launches file.json)" \
	    "$(of .run.launches)"
	same "state elsewhere" "$(jq -r .run.state file.json)" \
	    "$(of .run.state)"
}

# Each kernel must have its code, or the reason why not.
explained() {
	local id
	for id in $(of '.kernels[].id'); do
		"$bin/cudadvise" annotate --json --run "$T/c.cadv" "$id" \
		    >code.json || fail "kernel $id"
		jq -e '(.has_lines or .missing.lines != null) and
		    (.counted or .missing.counts != null)' code.json \
		    >/dev/null || fail "kernel $id: $(jq -c .missing code.json)"
	done
}

# No kernel may have lines, because its code is incomplete.
cut_short() {
	local id
	for id in $(of '.kernels[].id'); do
		"$bin/cudadvise" annotate --json --run "$T/c.cadv" "$id" \
		    >code.json
		same "lines" "$(jq .has_lines code.json)" false
	done
	[ -n "${id:-}" ] || fail "no kernel was kept"
}

@test "the target is killed while its code is on the way" {
	start_in_code
	kill -KILL "$program"
	sleep 0.2
	kill -CONT "$daemon"
	finish 60 137
	until_over
	same "state" "$(of .run.state)" killed
	same "signal" "$(of .run.signal)" 9
	[ "$(of .run.launches)" -gt 0 ] || fail "nothing was kept"
	[ "$(of .run.launches)" -lt 6000 ] || fail "it was not killed in time"
	grep -q "killed by signal 9" report || fail "not in the report"
	readable
	explained
	cut_short
}

@test "the daemon is killed while code is on the way, and started again" {
	start_in_code
	kill -KILL "$daemon"
	sleep 0.2
	"$bin/cudadvise" daemon start >/dev/null
	kill -CONT "$program"
	finish 120 4
	same "output" "$(cat out)" begun
	until_over
	has_launches 6000 8
	same "state" "$(of .run.state)" finished
	same "duplicates or gaps" "$(of .run.data.lost_by.sequence)" 0
	same "counted" "$(of .run.source.kernels_counted)" 8
	readable
	explained
	# The code is whole: kernel7 has its lines.
	"$bin/cudadvise" annotate --json kernel7 >code.json
	same "lines" "$(jq .has_lines code.json)" true
}

@test "both are killed: the next daemon has what there was, marked" {
	start_in_code
	kill -KILL "$program" "$daemon"
	finish 60 137
	"$bin/cudadvise" daemon start >/dev/null
	until_over
	same "state" "$(of .run.state)" killed
	readable
	explained
	cut_short
}

@test "without a daemon: the target is killed, the capture is marked" {
	start_source --no-daemon -o "$T/c.cadv"
	for _ in $(seq 3000); do
		[ -n "$(find "$T" -name '*.spool' -size +2M)" ] && break
		sleep 0.005
	done
	kill -KILL "$program"
	finish 60 137
	load "$T/c.cadv"
	same "state" "$(of .run.state)" killed
	same "signal" "$(of .run.signal)" 9
	explained
	"$bin/cudadvise" daemon start >/dev/null
	"$bin/cudadvise" import "$T/c.cadv" >/dev/null || fail "not taken in"
	load
	same "state there" "$(of .run.state)" killed
}

@test "the launcher is killed: the run ends when its program does" {
	"$bin/cudadvise" daemon start >/dev/null
	start_source
	sleep 0.3
	kill -KILL $job
	wait $job || true
	for _ in $(seq 300); do
		is_running "$program" || break
		sleep 0.1
	done
	! is_running "$program" || fail "the target hangs"
	until_over
	same "state" "$(of .run.state)" killed
	same "launches" "$(of .run.launches)" 6000
	readable
	explained
}
