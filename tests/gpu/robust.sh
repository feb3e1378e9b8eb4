#!/bin/bash
# robust.sh BUILD OUT: what must not happen. Every target program prints and
# ends as it does without cudadvise; a killed daemon loses no record; a killed
# target leaves a run that is marked. Writes OUT/<program>.*, prints a line for
# each check, and exits with 1 if one failed.
set -u
BUILD=${1:?usage: robust.sh BUILD OUT}
OUT=${2:?usage: robust.sh BUILD OUT}
. "$(dirname "$0")/common.sh"
prepare
failed=0

ok() {
	echo "ok: $*"
}

bad() {
	echo "FAIL: $*"
	failed=1
}

# field FILE EXPRESSION: a value out of a JSON file; d is the document.
field() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2" 2>/dev/null
}

# A run's object, whether it stands alone or under "run".
run_field() {
	field "$1" "(d.get('run') or d)$2"
}

# --- the same output and status, with every level ----------------------------

compare() {			# LEVEL PROGRAM ARGUMENTS…
	local level=$1 program=$2 to=$OUT/$2.$1 name=$2 plain with
	shift 2
	case ${1:-} in
	[a-z]*) to=$to.$1 name="$name $1" ;;
	esac
	timeout 60 "$programs/$program" "$@" >"$to.plain.out" \
	    2>"$to.plain.err"
	plain=$?
	timeout 120 "$cudadvise" run --no-daemon --level "$level" \
	    -o "$to.cadv" -- "$programs/$program" "$@" >"$to.out" 2>"$to.err"
	with=$?
	if [ $plain -ne $with ]; then
		bad "$name ($level): status $with, without cudadvise $plain"
	elif ! cmp -s "$to.plain.out" "$to.out"; then
		bad "$name ($level): prints something else, see $to.out"
	elif [ ! -s "$to.cadv" ]; then
		bad "$name ($level): no capture"
	else
		"$cudadvise" show --format json "$to.cadv" >"$to.json" \
		    2>>"$to.err"
		ok "$name ($level): status $with, same output," \
		    "$(run_field "$to.json" "['launches']") launches," \
		    "$(run_field "$to.json" "['data']['lost']") lost"
	fi
}

for level in trace counters source; do
	compare $level launch_loop 20000
	compare $level threads 8 2000
	compare $level forker
	compare $level exec_child
	compare $level graph 500
	compare $level multi_context 200
	compare $level aborter
	compare $level underscore_exit
	compare $level exit_in_thread
	compare $level reset
done
for level in counters source; do
	compare $level waiter host
	compare $level waiter stream
	compare $level waiter managed
done
# Threads race: once may be luck.
for _ in 1 2 3; do
	compare source threads 8 2000
done

# expect_launches PROGRAM LEVEL COUNT: none was lost on the way out.
expect_launches() {
	local got
	got=$(run_field "$OUT/$1.$2.json" "['launches']")
	if [ "$got" = "$3" ]; then
		ok "$1 ($2): all $3 launches are there"
	else
		bad "$1 ($2): ${got:-no} launches of $3"
	fi
}

expect_launches launch_loop trace 20001
expect_launches threads trace 16000
expect_launches graph trace 5000
expect_launches aborter trace 1000
expect_launches underscore_exit trace 1000
expect_launches reset trace 1500
# Three children of 100, 200, 300 and twice 50 in the parent.
expect_launches forker trace 700
expect_launches exec_child trace 500

# --- the target is killed -----------------------------------------------------

to=$OUT/killed
"$cudadvise" run --no-daemon --level trace -o "$to.cadv" -- \
    "$programs/launch_loop" 100000000 10 >"$to.out" 2>"$to.err" &
wrapper=$!
sleep 4
target=$(pgrep -P $wrapper | head -1)
if [ -z "$target" ]; then
	bad "killed target: launch_loop does not run"
	kill $wrapper 2>/dev/null
else
	kill -9 "$target"
	wait $wrapper
	rc=$?
	"$cudadvise" show --format json "$to.cadv" >"$to.json" 2>>"$to.err"
	state=$(run_field "$to.json" "['state']")
	signal=$(run_field "$to.json" "['signal']")
	count=$(run_field "$to.json" "['launches']")
	[ $rc -eq 137 ] && [ "$state" = killed ] && [ "$signal" = 9 ] &&
	    [ "${count:-0}" -gt 1000 ] &&
	    ok "killed target: status $rc, run is marked, $count launches" ||
	    bad "killed target: status $rc, state ${state:-none}, signal" \
	    "${signal:-none}, ${count:-no} launches"
fi

# --- the daemon is killed and comes back ---------------------------------------

daemon_pid() {
	pgrep -u "$(id -u)" -x cudadvised | while read -r pid; do
		# Of all daemons the one with our directories.
		grep -qz "^CUDADVISE_STATE_DIR=$CUDADVISE_STATE_DIR\$" \
		    "/proc/$pid/environ" 2>/dev/null && echo "$pid" && break
	done
}

to=$OUT/daemon
if ! "$cudadvise" daemon start >"$to.start" 2>&1; then
	bad "daemon does not start: $(tail -1 "$to.start")"
else
	launches=400000
	"$cudadvise" run --level trace --label robust -- \
	    "$programs/launch_loop" $launches 15 >"$to.out" 2>"$to.err" &
	wrapper=$!
	sleep 3
	pid=$(daemon_pid)
	if [ -z "$pid" ]; then
		bad "the daemon's process was not found"
	else
		kill -9 "$pid"
	fi
	sleep 1
	"$cudadvise" daemon start >>"$to.start" 2>&1 ||
	    bad "daemon does not start again: $(tail -1 "$to.start")"
	wait $wrapper
	rc=$?
	# The rest of the spool may still be on its way.
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$cudadvise" show --format json >"$to.json" 2>>"$to.err"
		count=$(run_field "$to.json" "['launches']")
		state=$(run_field "$to.json" "['state']")
		[ "$count" = $((launches + 1)) ] && break
		sleep 1
	done
	lost=$(run_field "$to.json" "['data']['lost']")
	[ $rc -eq 0 ] && [ "$count" = $((launches + 1)) ] &&
	    [ "$lost" = 0 ] && [ "$state" = finished ] &&
	    ok "killed daemon: all $count launches are there, none lost" ||
	    bad "killed daemon: status $rc, ${count:-no} launches of" \
	    "$((launches + 1)), ${lost:-?} lost, state ${state:-none}"
	"$cudadvise" daemon stop >>"$to.start" 2>&1
fi
exit $failed
