# However a program ends, its records must be complete.

load common

@test "exit() in a thread" {
	options=$patient
	measure --kernels 300 --exit-in-thread --exit-code 6 || got=$?
	same "exit code" "$got" 6
	load
	same "launches" "$(of .run.launches)" 300
	same "lost" "$(of .run.data.lost)" 0
}

@test "_exit" {
	options=$patient
	measure --kernels 300 --_exit --exit-code 9 ||
	    got=$?
	same "exit code" "$got" 9
	load
	same "launches" "$(of .run.launches)" 300
}

@test "abort: the signal is the program's, the run says so" {
	options=$patient
	ulimit -c 0
	measure --kernels 300 --abort --sleep-ms 1500 || got=$?
	same "exit code" "$got" 134
	load
	same "launches" "$(of .run.launches)" 300
	same "signal" "$(of .run.signal)" 6
}

@test "SIGKILL: everything up to the last flush, and the run is marked" {
	options=$patient
	measure --kernels 300 --sigkill --sleep-ms 1500 || got=$?
	same "exit code" "$got" 137
	load
	same "launches" "$(of .run.launches)" 300
	same "state" "$(of .run.state)" killed
	same "signal" "$(of .run.signal)" 9
}

@test "SIGKILL at once: the target dies by the signal, the run is marked" {
	options=$patient
	measure --kernels 20000 --sigkill || got=$?
	same "exit code" "$got" 137
	load
	same "state" "$(of .run.state)" killed
}

@test "a child that forks and touches no GPU" {
	options=$patient
	measure --kernels 200 --fork --stdout parent
	same "output" "$(tr '\n' ' ' <out)" "parent child "
	load
	has_launches 200 4
}

@test "a program started by the program is one more process of the run" {
	options=$patient
	measure --kernels 200 --signatures 4 --exec
	load
	same "launches" "$(of .run.launches)" 250
	same "processes" "$(of .run.processes)" 2
}

@test "SIGTERM to cudadvise reaches the program" {
	# ThreadSanitizer delays signals while the launcher waits.
	[ "${E2E_SANITIZE:-}" != thread ] || skip
	"$bin/cudadvise" run -- "$target" --ready --sleep-ms 20000 >out \
	    2>report &
	pid=$!
	for _ in $(seq 300); do
		grep -q ready out && break
		sleep 0.1
	done
	# The last records before a kill may be lost: wait until they have been sent.
	sleep 0.5
	kill -TERM $pid
	wait $pid || got=$?
	same "exit code" "$got" 143
	load
	same "signal" "$(of .run.signal)" 15
	same "launches" "$(of .run.launches)" 100
}

@test "flushes beside the program take nothing from it, but the last one" {
	options="--level trace --no-daemon -o $T/c.cadv"
	MOCK_FLUSH_MS=300 measure --kernels 40 --pause-us 50000
	load "$T/c.cadv"
	of .run.overhead | jq -e '.by.cupti_s < 0.5 and .total_s < 0.6' ||
	    fail "$(of .run.overhead)"
}
