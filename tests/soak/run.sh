#!/usr/bin/env bash
#
# run.sh BUILD [FUZZ_BUILD]: tests that take too long to run for each change:
# minutes of every fuzzer, very long runs, and a daemon that is killed and stopped
# again and again while it measures programs. Exit status 1 if records were lost, a
# program was disturbed, or a fuzzer found something. Prints one line for each part,
# with how long it ran; the last figures are in tests/captures/results/soak.txt.
#
# Set in the environment (these are the values of a full run; 0 leaves a part out):
#   KILLS=200             the daemon, at random instants, -9 or TERM
#   STARTS=100            stops and starts under PROCESSES=8 programs
#   RECORDS=100000000     launches of one run
#   DAYS=7                of 8 processes, simulated
#   FUZZ_MINUTES=10       each fuzzer
#   WHOLE_MINUTES=60      fuzz_whole, once more
#   JOBS                  fuzzers at a time (all processors)

set -u
build=$(cd "${1:?usage: run.sh BUILD [FUZZ_BUILD]}" && pwd) || exit 1
fuzz=${2:-}
repo=$(cd "$(dirname "$0")/../.." && pwd)
bin=$build/bin
bad=0
T=$(mktemp -d /tmp/cadv-soak.XXXXXX)
export CUDADVISE_DATA_DIR=$repo/config XDG_CONFIG_HOME=$T/c
unset XDG_RUNTIME_DIR XDG_STATE_HOME CUDA_INJECTION64_PATH

# part NAME SECONDS TEXT
part() {
	printf '%-10s %6d s  %s\n' "$@"
}

failed() {
	printf '%-10s FAILED: %s (kept: %s)\n' "$1" "$2" "$T"
	bad=1
}

# --- a daemon that ends while it measures programs ---------------------------------

daemon_pid() {
	cat "$CUDADVISE_RUNTIME_DIR/cudadvised.pid" 2>/dev/null
}

is_running() {
	grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"
}

# place NAME: directories of its own, and the mock in place of CUPTI and the driver.
place() {
	mkdir -p "$T/$1"
	export CUDADVISE_RUNTIME_DIR=$T/$1/r CUDADVISE_STATE_DIR=$T/$1/s
	export CUDADVISE_CUPTI=$build/lib/libmock_cupti.so
	export CUDADVISE_LIBCUDA=$CUDADVISE_CUPTI
}

LAUNCHES=20000		# of a program; 4 seconds at least

# program DIRECTORY N: start one run after the other until DIRECTORY/over
# exists. Each must end as it would without cudadvise.
program() {
	local n=0 out rc
	cd "$1" || return	# a run that finds no daemon is a file here
	while [ ! -e "$1/over" ]; do
		out=$("$bin/cudadvise" run -q --level trace --label "$2.$n" -- \
		    "$bin/mock-target" --kernels $LAUNCHES --signatures 6 \
		    --pause-us 200 --stdout "ran $2.$n" --exit-code 4 \
		    2>>"$1/said.$2")
		rc=$?
		[ "$rc" -eq 4 ] && [ "$out" = "ran $2.$n" ] ||
		    echo "$2.$n: exit status $rc, output '$out'" >>"$1/disturbed"
		n=$((n + 1))
	done
	echo $n >"$1/runs.$2"
}

# end_daemon: send -9 or TERM, at random, and wait until the daemon is gone.
end_daemon() {
	local pid signal=TERM
	pid=$(daemon_pid) || return
	[ $((RANDOM % 2)) -eq 0 ] && signal=KILL
	kill -$signal "$pid" 2>/dev/null
	for _ in $(seq 600); do
		is_running "$pid" || return 0
		sleep 0.02
	done
	echo "the daemon does not end on $signal" >>"$1/disturbed"
}

# incomplete DIRECTORY: each run must be listed once, complete, with each of its
# launches. Prints "number launches lost complete state label" for those that are not.
incomplete() {
	"$bin/cudadvise" list --json -n 100000 >"$1/list" || return 1
	for n in $(jq -r '.items[].number' "$1/list"); do
		"$bin/cudadvise" show --json "$n"
	done | jq -r --argjson want $LAUNCHES '.run | select(.launches != $want or
	    .data.lost != 0 or .data.complete != true or .state == "live" or
	    .exit_code != 4) | [.number, .launches, .data.lost,
	    .data.complete, .state, .label] | map(tostring) | join(" ")'
}

# cycles NAME HOW_OFTEN PROCESSES PAUSE_MS: end the daemon that often, at random
# instants at most PAUSE_MS after it is running again.
cycles() {
	local name=$1 often=$2 processes=$3 pause=$4 start=$SECONDS dir i n=0 left
	place "$name"
	dir=$T/$name
	"$bin/cudadvise" daemon start -q || { failed "$name" "no daemon"; return; }
	for i in $(seq "$processes"); do
		program "$dir" "$i" &
	done
	for i in $(seq "$often"); do
		sleep "$(printf '0.%03d' $((RANDOM % pause)))"
		end_daemon "$dir"
		"$bin/cudadvise" daemon start -q 2>>"$dir/starts"
	done
	touch "$dir/over"
	wait
	# Wait until the daemon has ingested the spool files.
	for _ in $(seq 600); do
		left=$(find "$dir/s/spool" -name '*.spool' 2>/dev/null | wc -l)
		[ "$left" -eq 0 ] && [ -z "$(incomplete "$dir")" ] && break
		sleep 0.5
	done
	incomplete "$dir" >"$dir/incomplete"
	for i in "$dir"/runs.*; do n=$((n + $(cat "$i"))); done
	i=$(jq '.items | length' "$dir/list")
	"$bin/cudadvise" daemon stop -q
	[ "$left" -eq 0 ] || failed "$name" "$left spool files are left"
	[ ! -e "$dir/disturbed" ] ||
	    failed "$name" "$(head -n 3 "$dir/disturbed")"
	[ ! -s "$dir/incomplete" ] ||
	    failed "$name" "lost: $(head -n 3 "$dir/incomplete")"
	[ "$i" -eq "$n" ] || failed "$name" "$n programs ran, $i runs are known,\
 $(find "$dir" -maxdepth 1 -name '*.cadv' | wc -l) were recorded to files"
	part "$name" $((SECONDS - start)) "$often ends of the daemon (-9, TERM)\
 under $processes processes: $n programs, $((n * LAUNCHES)) launches,\
 $(wc -l <"$dir/incomplete") runs with losses, $(cat "$dir/disturbed" \
	    2>/dev/null | wc -l) programs disturbed"
}

# --- long runs ---------------------------------------------------------------------

records() {
	local start=$SECONDS daemon
	place records
	mkdir -p -m 700 "$CUDADVISE_RUNTIME_DIR" "$CUDADVISE_STATE_DIR"
	"$bin/cudadvised" --foreground 2>"$T/records/log" &
	daemon=$!
	for _ in $(seq 200); do
		[ -S "$T/records/r/ingest.sock" ] &&
		    [ -S "$T/records/r/api.sock" ] && break
		sleep 0.1
	done
	"$bin/bench-daemon" "$T/records/r/ingest.sock" "$T/records/r/api.sock" \
	    $daemon "$1" >"$T/records/out" ||
	    failed records "$(tail -n 3 "$T/records/log")"
	kill $daemon
	wait $daemon || failed records "the daemon's exit status is $?"
	part records $((SECONDS - start)) "$1 launches:"
	cut -f 1-3 "$T/records/out" | sed 's/^/    /'
}

week() {
	local start=$SECONDS
	[ -x "$bin/soak-week" ] || { part week 0 "left out: no soak-week"; return; }
	"$bin/soak-week" "$bin/cudadvised" "$1" 8 256 >"$T/week" 2>&1 ||
	    failed week "$(tail -n 5 "$T/week")"
	part week $((SECONDS - start)) "$1 days of 8 processes: $(tr '\n' ';' \
	    <"$T/week" | sed 's/;$//; s/;/; /g')"
}

# fuzzers SECONDS [FUZZER]
fuzzers() {
	local start=$SECONDS log=$T/fuzz.$#
	"$repo/tests/fuzz/run.sh" "$fuzz" "$@" >"$log" 2>&1 ||
	    failed fuzz "$(grep -A 20 FAILED "$log" | head -n 40)"
	part "fuzz" $((SECONDS - start)) "$1 s each:"
	grep '^fuzz_' "$log" | sed 's/^/    /'
}

# -------------------------------------------------------------------------------------

[ "${KILLS:=200}" -eq 0 ] || cycles kills "$KILLS" 3 700
[ "${STARTS:=100}" -eq 0 ] || cycles starts "$STARTS" "${PROCESSES:-8}" 400
[ "${RECORDS:=100000000}" -eq 0 ] || records "$RECORDS"
[ "${DAYS:=7}" = 0 ] || week "$DAYS"
if [ -n "$fuzz" ]; then
	[ "${FUZZ_MINUTES:=10}" = 0 ] || fuzzers $((FUZZ_MINUTES * 60))
	[ "${WHOLE_MINUTES:=60}" = 0 ] || fuzzers $((WHOLE_MINUTES * 60)) fuzz_whole
fi
[ $bad -ne 0 ] || rm -rf "$T"
exit $bad
