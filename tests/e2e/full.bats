# The daemon's disk is full: the report shows as much of the run as could be
# stored, and says why the rest is missing.

load common

# start_with_kib KIB: start a daemon whose files cannot grow beyond KIB, as on a
# full disk.
start_with_kib() {
	(
		trap '' XFSZ
		ulimit -f "$1"
		"$bin/cudadvise" daemon start -q
	)
}

words() {
	tr -s ' \n' '  ' <"$1"
}

@test "half of a run fits: the report shows that half and why the rest is missing" {
	options=
	start_with_kib 200
	measure --kernels 100000 --exit-code 3 || got=$?
	same "exit code" "$got" 3
	said=$(words report)
	[[ $said == *"run 1 was not stored completely: cannot append to the capture: File too large."* ]] ||
		fail "not why"
	# The last frame may be small enough to fit where a larger one did not.
	unended=1
	[[ $said == *"The record of 1 process ends early"* ||
		$said == *"The record of this run ends early"* ]] || unended=0
	[ $unended -eq 1 ] || [[ $said == *" records dropped: "* ]] ||
		fail "not that"
	[[ $said == *"launches of 4 kernels"* ]] || fail "not the rest"
	"$bin/cudadvise" daemon status >status
	said=$(words status)
	[[ $said == *"(degraded)"*"was not stored completely: cannot append to the capture"*"remedy: make room"* ]] ||
		fail "$said"
	"$bin/cudadvise" doctor >status || true
	[[ $(words status) == *"degraded: run "*" was not stored completely: cannot append"* ]] ||
		fail "$(cat status)"

	# When there is room again, the part that exists is analysed.
	"$bin/cudadvise" daemon stop
	rm -f "$CUDADVISE_STATE_DIR"/spool/*	# nor does the rest come
	"$bin/cudadvise" reanalyze 1
	load 1 2>complaints
	same "complaints" "$(wc -c <complaints)" 0
	same "processes that did not end, complete" "$(of '.run.data |
	    [.unended, .complete] | map(tostring) | join(" ")')" \
	    "$unended false"
	"$bin/cudadvise" daemon status >status
	[[ $(cat status) == *"(ok)"* ]] || fail "$(cat status)"
}

@test "the analysis of half a run fits: the report says what is missing, and it may follow" {
	options=
	start_with_kib 1500
	measure --kernels 250000 --exit-code 3 || got=$?
	same "exit code" "$got" 3
	said=$(words report)
	[[ $said == *"run 1 was not stored completely: cannot append to the capture: File too large"* ]] ||
		fail "not why"
	[[ $said == *"launches of 4 kernels"* ]] || fail "not the rest"
	rm -f report
	load
	some=$(of .run.launches)
	[ "$some" -gt 0 ] && [ "$some" -lt 250000 ] || fail "$some launches"

	# The process spooled the rest to a file, which the next daemon ingests.
	"$bin/cudadvise" daemon stop
	for _ in $(seq 100); do
		load
		[ "$(of .run.launches)" -le "$some" ] || break
		sleep 0.1
	done
	[ "$(of .run.launches)" -gt "$some" ] || fail "nothing came"
}

@test "nothing of a run can be kept: why, and the program's status is its own" {
	options=
	measure --kernels 10
	# A file is in the place of the runs' directory.
	rm -rf "$CUDADVISE_STATE_DIR/runs"
	: >"$CUDADVISE_STATE_DIR/runs"
	measure --kernels 10 --exit-code 3 || got=$?
	same "exit code" "$got" 3
	said=$(words report)
	[[ $said == *"the run was not stored, and nothing can be said of it: "*"$CUDADVISE_STATE_DIR/runs/"* ]] ||
		fail "not why"
}
