#!/usr/bin/env bats
# Kills the daemon in an import, at each of its operations on files. The run
# must be there completely or not at all, and no other file may be left.

bats_require_minimum_version 1.5.0
load common

capture="$BATS_TEST_DIRNAME/../captures/programs/matrixmul.cadv"

# Files of the state that belong to no run.
strays() {
	find "$CUDADVISE_STATE_DIR/runs" "$CUDADVISE_STATE_DIR/spool" \
	    -type f ! -name capture.cadv
	find "$CUDADVISE_STATE_DIR/runs" -mindepth 1 -type d -empty
}

# Waits until the daemon has ended.
wait_dead() {
	local i
	for i in $(seq 500); do
		cudadvise daemon status -q > /dev/null 2>&1 || return 0
		sleep 0.02
	done
	return 1
}

# Waits until the next daemon has cleaned up what the dead one left.
recovered() {
	local i
	for i in $(seq 500); do
		[ -z "$(strays)" ] && return 0
		sleep 0.02
	done
	strays
	return 1
}

start_armed() {
	DIE_ARMED="$PWD/armed" DIE_AT=$1 LD_PRELOAD="$DIE_AT_LIBRARY" \
	    cudadvised --foreground 2> log &
}

# Import with a daemon that is killed at call ${1}; returns 1 if it survived.
import_killed() {
	rm -f armed
	start_armed "$1"
	# It ends at once if the daemon that was stopped has the lock still.
	until cudadvise daemon status -q > /dev/null 2>&1; do
		kill -0 $! 2> /dev/null || start_armed "$1"
		sleep 0.02
	done
	touch armed
	if cudadvise import -q "$2" 2> /dev/null; then
		rm -f armed
		cudadvise daemon stop -q
		return 1
	fi
	rm -f armed
	wait_dead
}

check_whole() {
	cudadvise daemon start -q
	recovered
	# The run is complete or missing.
	cudadvise list --json | jq -e --argjson n "$1" \
	    '(.items | length) <= 1 and
	    all(.items[]; .state == "finished" and .launches == $n)'
	cudadvise import -q "$capture"
	cudadvise list --json | jq -e --argjson n "$1" \
	    '(.items | length) == 1 and .items[0].launches == $n'
	[ -z "$(strays)" ]
}

@test "killed at any call of an import, of a new run and of a known one" {
	[ -n "$DIE_AT_LIBRARY" ] || skip "not with a sanitizer"
	launches=$(cudadvise show --json "$capture" | jq .run.launches)
	for known in "" 1; do
		n=1
		while :; do
			if [ -n "$known" ]; then
				cudadvise import -q "$capture"
				cudadvise daemon stop -q
			fi
			import_killed $n "$capture" || break
			check_whole "$launches"
			cudadvise daemon stop -q
			rm -rf "$CUDADVISE_STATE_DIR"
			# Every early call, which are those on files; then only some.
			n=$((n < 24 ? n + 1 : n * 3 / 2))
		done
		[ $n -gt 10 ]
		rm -rf "$CUDADVISE_STATE_DIR"
	done
}
