#!/bin/bash
# robust.sh BUILD OUT: cudadvise must not disturb programs. Every target program
# prints and ends as it does without cudadvise, at each level; a killed daemon
# loses no record; the run of a killed target is marked as such. Writes
# OUT/<program>.*, prints a line for each check, and at the end how many passed
# and failed, and of how many programs. Exit status 1 if one failed. A program
# that hangs is ended; after ROBUST_SECONDS (345) the rest counts as failed.
# ROBUST_ONLY, a regular expression, runs only the checks whose name it fits.
set -u
BUILD=${1:?usage: robust.sh BUILD OUT}
OUT=${2:?usage: robust.sh BUILD OUT}
. "$(dirname "$0")/common.sh"
prepare
levels="trace default source"
each=30			# seconds a program may take; all take about one
all=${ROBUST_SECONDS:-345}	# seconds after which nothing is started
only=${ROBUST_ONLY:-}
good=0
failed=0
skipped=0
late=0
declare -A ran=()	# the programs, each once
lenient=		# set: what fails by itself is no fault of this machine's

ok() {
	echo "ok: $*"
	good=$((good + 1))
}

bad() {
	echo "FAIL: $*"
	failed=$((failed + 1))
}

not_run() {
	echo "skipped: $*"
	skipped=$((skipped + 1))
}

# field FILE EXPRESSION: print a value from a JSON file; d is the document.
field() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2" 2>/dev/null
}

# A value of the run's object, which is the document or its member "run".
run_field() {
	field "$1" "(d.get('run') or d)$2"
}

# bounded SECONDS OUT ERR COMMAND…: run it in a process group, which is ended
# after SECONDS. The shell's messages about signals are discarded.
bounded() {
	local seconds=$1 out=$2 err=$3
	shift 3
	{ timeout -k 3 "$seconds" "$@" >"$out" 2>"$err" </dev/null; } 2>/dev/null
}

# in_time WHAT: is it wanted, and is there time for one more?
in_time() {
	[[ $1 =~ $only ]] || return 1
	[ $SECONDS -lt $all ] && return 0
	[ $late -gt 0 ] || bad "$1 and what follows: not run, $all s are over"
	late=$((late + 1))
	return 1
}

# as_it_is NAME TO SECONDS COMMAND…: run it without cudadvise, into TO.plain.*;
# its status is in $plain. False if there is nothing to compare with.
as_it_is() {
	local name=$1 to=$2 seconds=$3 why
	shift 3
	in_time "$name" || return 1
	bounded "$seconds" "$to.plain.out" "$to.plain.err" "$@"
	plain=$?
	why=$(tail -n 1 "$to.plain.err")
	case $plain in
	0) return 0 ;;
	77)
		not_run "$name: ${why#skipped: }"
		return 1 ;;
	esac
	if [ -n "$lenient" ]; then
		not_run "$name: by itself it ends with $plain: ${why:-no word}"
		return 1
	fi
	case $plain in
	1 | 2 | 124 | 125 | 126 | 127 | 137 | 139)
		bad "$name: by itself it ends with $plain: ${why:-no word}" ;;
	*) return 0 ;;
	esac
	return 1
}

# measured NAME LEVEL TO SECONDS COMMAND…: the same under cudadvise.
measured() {
	local name="$1 ($2)" level=$2 to=$3 base=$3 seconds=$4 with began
	local options=(--no-daemon)
	shift 4
	in_time "$name" || return
	to=$to.$level
	[ "$level" = default ] || options+=(--level "$level")
	began=$(date +%s.%N)
	bounded "$seconds" "$to.out" "$to.err" "$cudadvise" run \
	    "${options[@]}" -o "$to.cadv" -- "$@"
	with=$?
	began=$(awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $began }")
	if [ $with -eq 124 ] || [ $with -eq 137 ] && [ $with -ne "$plain" ]
	then
		bad "$name: hangs, ended after $began s"
	elif [ $plain -ne $with ]; then
		bad "$name: status $with, without cudadvise $plain:" \
		    "$(tail -n 1 "$to.err")"
	elif ! cmp -s "$base.plain.out" "$to.out"; then
		bad "$name: prints something else, see $to.out"
	elif [ ! -s "$to.cadv" ]; then
		bad "$name: no capture"
	else
		bounded 20 "$to.json" "$to.show" "$cudadvise" show \
		    --format json "$to.cadv"
		ok "$name: status $with, same output," \
		    "$(run_field "$to.json" "['launches']") launches," \
		    "$(run_field "$to.json" "['data']['lost']") lost, $began s"
	fi
}

# check PROGRAM ARGUMENTS…: run it alone, then at each of $levels.
check() {
	local program=$1 to=$OUT/$1 name=$1 level
	shift
	case ${1:-} in
	[a-z]*) to=$to.$1 name="$name $1" ;;
	esac
	ran[$program]=1
	if [ ! -x "$programs/$program" ]; then
		bad "$name: was not built"
		return
	fi
	as_it_is "$name" "$to" $each "$programs/$program" "$@" || return
	for level in $levels; do
		measured "$name" "$level" "$to" $each "$programs/$program" "$@"
	done
}

# expect_launches PROGRAM COUNT: the capture of level trace must have all launches.
expect_launches() {
	local got
	[ $late -eq 0 ] && [[ $1 =~ $only ]] || return
	got=$(run_field "$OUT/$1.trace.json" "['launches']")
	if [ "$got" = "$2" ]; then
		ok "$1 (trace): all $2 launches are there"
	else
		bad "$1 (trace): ${got:-no} launches of $2"
	fi
}

# expect_ranges FILE WANTED: compares the numbers of kernels launched in each
# NVTX range.
expect_ranges() {
	local got
	[ $late -eq 0 ] && [[ nvtx =~ $only ]] || return
	got=$(field "$1" "' '.join(sorted('%s=%d' % (r['name'].replace(' ', '-'),
	    r['launches']) for r in d['ranges']['items'] if r['name'] in
	    ('steps', 'forward', 'backward', 'other thread')))")
	if [ "$got" = "$2" ]; then
		ok "nvtx (trace): NVTX ranges hold the launches: $2"
	else
		bad "nvtx (trace): NVTX ranges hold ${got:-nothing}, not $2"
	fi
}

# --- the same output and status ------------------------------------------------

check launch_loop 20000
expect_launches launch_loop 20001
check threads 8 2000
expect_launches threads 16000
# Threads race, so one success may be luck: run it twice more.
[ -s "$OUT/threads.plain.out" ] && for _ in 1 2; do
	plain=0
	measured "threads, again" source "$OUT/threads" $each \
	    "$programs/threads" 8 2000
done
check forker
# Three children with 100, 200 and 300 launches, and twice 50 in the parent.
expect_launches forker 700
check exec_child
expect_launches exec_child 500
check graph 500
expect_launches graph 5000
check nvtx 100 200000
expect_launches nvtx 302
expect_ranges "$OUT/nvtx.trace.json" \
    "backward=200 forward=100 other-thread=1 steps=300"
check multi_context 200
check aborter
expect_launches aborter 1000
check underscore_exit
expect_launches underscore_exit 1000
check exit_in_thread
check reset
expect_launches reset 1500
check waiter host
check waiter stream
check waiter managed

# --- streams and kernels that wait for others -------------------------------------

check hostfunc
check value_wait
check event_chain
expect_launches event_chain 400
check autotune 30
expect_launches autotune 360
check recycle 16 1200
check recycle 16 600 3000
check concurrent65
check priorities
check long_queue
expect_launches long_queue 3300
check long_kernel

# --- capture ---------------------------------------------------------------------

check capture_ptds
check capture_race
check capture_misuse

# --- memory of other processes, or mapped by hand ----------------------------------

# Not every container lets processes share memory.
lenient=1
check pool_ipc
check ipc_mem
lenient=
check vmm

# --- contexts, threads, signals, descriptors ---------------------------------------

check many_contexts
check close_fds
check realtime
check signals
check cancel
check rude survive

# --- other tools -------------------------------------------------------------------

check rude profiler
check cupti_user
for level in $levels; do
	to=$OUT/cupti_user.$level.err
	[ -f "$to" ] || continue
	said=$(grep '^cupti: ' "$to" | head -n 1)
	[ -n "$said" ] && ok "cupti_user ($level): ${said#cupti: }" ||
	    bad "cupti_user ($level): says nothing of CUPTI, see $to"
done

# python NAME SECONDS LEVELS SCRIPT…: a PyTorch program.
python() {
	local name=$1 seconds=$2 which=$3 level
	shift 3
	ran[$name]=1
	if ! command -v python3 >/dev/null; then
		not_run "$name: no python3"
		return
	fi
	as_it_is "$name" "$OUT/$name" "$seconds" python3 "$@" || return
	for level in $which; do
		measured "$name" "$level" "$OUT/$name" "$seconds" python3 "$@"
	done
}
lenient=1
python torch_profiler 60 default "$here/torch_profiler.py"
python nccl 60 default "$here/nccl.py"

# NVIDIA's tool is started first, cudadvise inside it: only one of the two can
# have CUPTI.
sanitized() {
	local tool to=$OUT/sanitizer plain with
	in_time compute-sanitizer || return
	if ! tool=$(find_tool compute-sanitizer \
	    /usr/local/cuda/bin/compute-sanitizer \
	    /usr/local/cuda/compute-sanitizer/compute-sanitizer); then
		not_run "compute-sanitizer: not installed"
		return
	fi
	bounded 60 "$to.plain.out" "$to.plain.err" "$tool" \
	    --target-processes all "$programs/graph" 50
	plain=$?
	bounded 60 "$to.out" "$to.err" "$tool" --target-processes all \
	    "$cudadvise" run --no-daemon -o "$to.cadv" -- "$programs/graph" 50
	with=$?
	# The tool's own lines begin with this, and contain process ids.
	sed -i '/^=========/d' "$to.plain.out" "$to.out"
	if [ $plain -ne 0 ]; then
		not_run "compute-sanitizer: by itself it ends with $plain"
	elif [ $with -ne 0 ]; then
		bad "compute-sanitizer: status $with, see $to.err"
	elif ! cmp -s "$to.plain.out" "$to.out"; then
		bad "compute-sanitizer: prints something else, see $to.out"
	else
		[ ! -s "$to.cadv" ] || bounded 20 "$to.json" "$to.show" \
		    "$cudadvise" show --format json "$to.cadv"
		ok "compute-sanitizer: same output," \
		    "$(run_field "$to.json" "['launches']") launches measured:" \
		    "$(grep -v -e '^ *$' -e '^=========' "$to.err" |
		    grep -i -m 1 -e cupti -e active -e profiler)"
	fi
}
sanitized

# NVIDIA's MPS server between the programs and the GPU.
mps() {
	local control level
	in_time MPS || return
	if ! control=$(find_tool nvidia-cuda-mps-control); then
		not_run "MPS: nvidia-cuda-mps-control is not installed"
		return
	fi
	export CUDA_MPS_PIPE_DIRECTORY=$scratch/mps
	export CUDA_MPS_LOG_DIRECTORY=$scratch/mps-log
	mkdir -p "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY"
	if ! bounded 20 "$OUT/mps.out" "$OUT/mps.err" "$control" -d; then
		not_run "MPS: $(tail -n 1 "$OUT/mps.err")"
	elif as_it_is "threads under MPS" "$OUT/mps" $each "$programs/threads" \
	    4 500; then
		for level in trace default; do
			measured "threads under MPS" $level "$OUT/mps" $each \
			    "$programs/threads" 4 500
		done
	fi
	echo quit | timeout -k 3 20 "$control" >/dev/null 2>&1
	unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
}
mps
lenient=

# --- the target is killed -----------------------------------------------------

# child_of PID: its first child.
child_of() {
	pgrep -P "$1" | head -n 1
}

killed() {
	local to=$OUT/killed wrapper target rc state signal count
	in_time "killed target" || return
	timeout -k 3 $each "$cudadvise" run --no-daemon --level trace \
	    -o "$to.cadv" -- "$programs/launch_loop" 100000000 10 \
	    >"$to.out" 2>"$to.err" </dev/null &
	wrapper=$!
	sleep 3
	target=$(child_of "$(child_of $wrapper)")
	if [ -z "$target" ]; then
		bad "killed target: launch_loop does not run"
		kill $wrapper 2>/dev/null
		return
	fi
	kill -9 "$target"
	wait $wrapper
	rc=$?
	bounded 20 "$to.json" "$to.show" "$cudadvise" show --format json \
	    "$to.cadv"
	state=$(run_field "$to.json" "['state']")
	signal=$(run_field "$to.json" "['signal']")
	count=$(run_field "$to.json" "['launches']")
	[ $rc -eq 137 ] && [ "$state" = killed ] && [ "$signal" = 9 ] &&
	    [ "${count:-0}" -gt 1000 ] &&
	    ok "killed target: status $rc, run is marked, $count launches" ||
	    bad "killed target: status $rc, state ${state:-none}, signal" \
	    "${signal:-none}, ${count:-no} launches"
}
killed

# --- the daemon is killed and comes back ---------------------------------------

daemon_pid() {
	pgrep -u "$(id -u)" -x cudadvised | while read -r pid; do
		# There may be several daemons: find the one with our directories.
		grep -qz "^CUDADVISE_STATE_DIR=$CUDADVISE_STATE_DIR\$" \
		    "/proc/$pid/environ" 2>/dev/null && echo "$pid" && break
	done
}

start_daemon() {
	timeout -k 3 20 "$cudadvise" daemon start >>"$OUT/daemon.start" 2>&1
}

daemon_killed() {
	local to=$OUT/daemon launches=400000 wrapper pid rc i count state lost
	in_time "killed daemon" || return
	: >"$to.start"
	if ! start_daemon; then
		bad "daemon does not start: $(tail -1 "$to.start")"
		return
	fi
	timeout -k 3 60 "$cudadvise" run --level trace --label robust -- \
	    "$programs/launch_loop" $launches 15 >"$to.out" 2>"$to.err" \
	    </dev/null &
	wrapper=$!
	sleep 3
	pid=$(daemon_pid)
	if [ -z "$pid" ]; then
		bad "the daemon's process was not found"
	else
		kill -9 "$pid"
	fi
	sleep 1
	start_daemon ||
	    bad "daemon does not start again: $(tail -1 "$to.start")"
	wait $wrapper
	rc=$?
	# The daemon may still be ingesting the spool.
	for i in 1 2 3 4 5 6 7 8 9 10; do
		bounded 20 "$to.json" "$to.show" "$cudadvise" show --format json
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
	timeout -k 3 20 "$cudadvise" daemon stop >>"$to.start" 2>&1
}
daemon_killed

echo "$good ok, $failed failed, $skipped skipped, ${#ran[@]} programs, $SECONDS s"
[ $failed -eq 0 ]
