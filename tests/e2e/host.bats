# Programs that are hard to inject into (tests/mock/rude.c): they change their
# own process as real programs do, and must find their changes intact.

load common

# rude WHAT: run this program under cudadvise.
rude() {
	"$bin/cudadvise" run $options -- "$bin/mock-rude" "$@" >out 2>report
}

@test "a program that closes all descriptors keeps its own files as they are" {
	"$bin/mock-rude" files >plain
	for options in "--level trace" "" "--no-daemon -o $T/c.cadv"; do
		rude files || fail "exit code $?"
		grep -q "^exact" out || fail "$(cat out)"
		# Without any file of the library among them.
		[ "$options" != "--level trace" ] ||
		    same "files" "$(cat out)" "$(cat plain)"
		case $options in
		--no*) load "$T/c.cadv" ;;
		*) load ;;
		esac
		has_launches 4400 8
	done
}

@test "a program on one processor in real time: the library's thread is elsewhere" {
	options=
	rude schedule || fail "exit code $?"
	same "thread" "$(cat out)" "ordinary, free"
	load
	has_launches 100 8
}

@test "read-only pages stay read-only, and _exit works as before" {
	options=
	rude tables || got=$?
	same "exit code" "$got" 3
	same "tables" "$(cat out)" "writable: 0"
	load
	has_launches 100 8
	same "state" "$(of .run.state)" finished
}

@test "_exit of a library that comes before libc is called" {
	[ -z "${E2E_SANITIZE:-}" ] || skip "a sanitizer wants to come first"
	"$bin/cudadvise" run -- env PRELOAD_EXIT=43 \
	    LD_PRELOAD="$E2E_BUILD/lib/libmock_preload.so" \
	    "$bin/mock-rude" tables >out 2>report || got=$?
	same "exit code" "$got" 43
	same "tables" "$(cat out)" "writable: 0"
	load
	has_launches 100 8
}

@test "all signals keep their default actions" {
	[ -z "${E2E_SANITIZE:-}" ] || skip "a sanitizer catches some"
	options=
	rude signals || fail "exit code $?"
	same "signals" "$(cat out)" "caught: 0"
	load
	has_launches 100 8
}

@test "wrong arithmetic of the library neither traps nor leaves flags" {
	for options in "" "--level source"; do
		rude float || fail "exit code $?"
		same "arithmetic" "$(cat out)" "traps, none"
		load
		same "launches" "$(of .run.launches)" 2000
		same "measured" "$(of '[.kernels[] |
		    select(.measured_launches > 0)] | length')" 16
	done
}

@test "a program ends with its last thread, though the library has threads" {
	[ "${E2E_SANITIZE:-}" != thread ] || skip "it has a thread of its own"
	for options in "--level trace" "" "--no-daemon -o $T/c.cadv"; do
		rude leader || fail "exit code $?"
		same "output" "$(cat out)" late
		case $options in
		--no*) load "$T/c.cadv" ;;
		*) load ;;
		esac
		has_launches 200 8
		same "state" "$(of .run.state)" finished
	done
}

@test "a thousand contexts one after another" {
	for options in "" "--level source"; do
		rude contexts || fail "exit code $?"
		same "output" "$(cat out)" alive
		load
		has_launches 10000 8
	done
}

@test "no launch waits for the profiler of a GPU that is not used any more" {
	options="--level counters"
	rude second || fail "exit code $?"
	load
	has_launches 6000 16
	# It is asked twenty times a second whether the profiler may be disabled.
	[ "$(of .run.overhead.held.count)" -lt 90 ] ||
	    fail "$(of .run.overhead.held)"
}

@test "no context is destroyed while the library waits for it" {
	options=
	MOCK_TRACE=$T/calls rude destroy || fail "exit code $?"
	same "output" "$(cat out)" alive
	grep -q "^cuCtxSynchronize" calls || fail "nothing was waited for"
	! grep "^stale" calls || fail "a context was destroyed meanwhile"
}

@test "a handler that calls exit in the middle of a measurement does not wait for it" {
	start=$(date +%s%N)
	MOCK_SLOW=cuptiSassMetricsDisable=30000 \
	    timeout 60 "$bin/cudadvise" run --max-stall 5000 --no-daemon \
	    -o "$T/c.cadv" -- "$bin/mock-rude" timer >out 2>report || got=$?
	same "exit code" "$got" 7
	took=$((($(date +%s%N) - start) / 1000000))
	# (A sanitizer takes long to end.)
	[ -n "${E2E_SANITIZE:-}" ] || [ $took -lt 4000 ] || fail "$took ms"
	load "$T/c.cadv"
	# It would be held for two seconds.
	of .run.overhead.held | jq -e '.longest_s < 2' ||
	    fail "$(of .run.overhead.held)"
}

@test "records up to abort are complete, and the program may survive abort" {
	options=
	ulimit -c 0
	rude abort || got=$?
	same "exit code" "$got" 134
	load
	same "launches" "$(of .run.launches)" 300
	same "signal" "$(of .run.signal)" 6
	rude survive || fail "exit code $?"
	same "output" "$(cat out)" alive
	load
	has_launches 600 8
}

@test "without a thread of its own the library says so, and the program runs" {
	[ -z "${E2E_SANITIZE:-}" ] || skip "a sanitizer wants to come first"
	for options in "" "--no-daemon -o $T/c.cadv"; do
		"$bin/cudadvise" run $options -- env PRELOAD_NO_THREAD=1 \
		    LD_PRELOAD="$E2E_BUILD/lib/libmock_preload.so" \
		    "$target" --kernels 20 --stdout here --exit-code 5 >out \
		    2>report || got=$?
		same "exit code" "$got" 5
		same "output" "$(cat out)" here
		case $options in
		--no*) load "$T/c.cadv" ;;
		*) load ;;
		esac
		of '.diagnostics[].text' | grep -q "no thread of its own" ||
		    fail "nobody said why: $(of .diagnostics)"
	done
}

@test "another profiler's buffer is not touched, and is reported" {
	options=
	MOCK_FOREIGN=1 measure --kernels 300
	load
	has_launches 300 4
	of '.diagnostics[].text' | grep -q "a buffer of another profiler" ||
	    fail "$(of .diagnostics)"
}

@test "another profiler in the program that takes the records is reported" {
	options=
	rude profiler || fail "exit code $?"
	same "output" "$(cat out)" alive
	load
	of '.diagnostics[].text' | grep -q "another profiler in the program" ||
	    fail "$(of .diagnostics)"
	same "complete, all there or lost" "$(of '[.run.data.complete,
	    .run.launches + .run.data.lost >= 880] | map(tostring) |
	    join(" ")')" "false true"
	rude profiler-killed || got=$?
	same "exit code" "$got" 137
	load
	of '.diagnostics[].text' | grep -q "another profiler in the program" ||
	    fail "$(of .diagnostics)"
}

@test "a thread that is cancelled while it is measured ends after the launch" {
	[ "${E2E_SANITIZE:-}" != thread ] ||
		skip "with ThreadSanitizer its launches are over too late"
	options="--max-stall 1000"
	MOCK_SLOW=cuptiRangeProfilerDecodeData=20 \
	    rude cancel || fail "exit code $?"
	same "output" "$(cat out)" alive
	load
	# Timing decides which pass each kernel gets, but each must be measured.
	same "lost, measured" "$(of '.run.data.lost, ([.kernels[] |
	    select(.mangled | startswith("_Z6later")) |
	    select(.measured_launches > 0)] | length)' |
	    tr '\n' ' ')" "0 8 "
}
