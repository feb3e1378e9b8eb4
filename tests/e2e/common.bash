# common.bash: shared by the end-to-end tests. Everything is real (command,
# injection library, daemon, API) except CUPTI and the driver (tests/mock).

: "${E2E_BUILD:?the build directory}"
bin=$E2E_BUILD/bin
target=$bin/mock-target${E2E_MAJOR:-}	# "-12": CUPTI of CUDA 12
# On a busy machine a hold may take long, and by default a measurement that once
# took longer than the limit is not repeated. For tests of what is measured.
patient="--max-stall 5000"

setup() {
	# A socket's path must be short, so not below the long temporary directory.
	T=$(mktemp -d /tmp/cadv-e2e.XXXXXX)
	export CUDADVISE_RUNTIME_DIR=$T/r CUDADVISE_STATE_DIR=$T/s
	export XDG_CONFIG_HOME=$T/c
	export CUDADVISE_DATA_DIR=${BATS_TEST_DIRNAME%/tests/*}/config
	export CUDADVISE_CUPTI=$E2E_BUILD/lib/libmock_cupti${E2E_MAJOR:-}.so
	export CUDADVISE_LIBCUDA=$CUDADVISE_CUPTI
	export LC_ALL=C.UTF-8	# containers have no locale
	unset "${!MOCK_@}" CUDA_MPS_PIPE_DIRECTORY
	unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
	cd "$T" || return 1
}

teardown() {
	local pid
	if pid=$(daemon_pid); then
		kill -CONT "$pid" 2>/dev/null
		"$bin/cudadvise" daemon stop >/dev/null 2>&1
		# With a sanitizer the daemon needs time to report leaks at its end.
		for _ in $(seq 100); do
			is_running "$pid" || break
			sleep 0.1
		done
		kill -KILL "$pid" 2>/dev/null
	fi
	if [ -n "${BATS_TEST_COMPLETED:-}" ] || [ -z "${E2E_KEEP:-}" ]; then
		rm -rf "$T"
	else
		echo "# kept: $T" >&3
	fi
}

# is_running PID: a process that has ended but was not waited for yet is not running.
is_running() {
	grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"
}

daemon_pid() {
	local pid
	pid=$(cat "$CUDADVISE_RUNTIME_DIR/cudadvised.pid" 2>/dev/null) &&
	    is_running "$pid" && echo "$pid"
}

# target_of COMMAND: the process that the command with this process id has started.
target_of() {
	pgrep -P "$1" -f "^$target "
}

# measure ARGUMENTS OF TARGET: run the target under cudadvise. Writes its
# standard output to out and the report to report, and returns its exit status.
measure() {
	"$bin/cudadvise" run $options -- "$target" "$@" >out 2>report
}

# load [FILE]: write everything about the newest run, or the one in FILE, to
# run.json. If the daemon had not finished when the program ended, waits for it
# and for its report.
load() {
	local try late=
	! grep -qs "has not analysed" report || late=1
	for try in $(seq 100); do
		"$bin/cudadvise" show --json "$@" >run.json || return
		[ -n "$late" ] && [ "$(of .run.state)" = live ] || break
		sleep 0.3
	done
	[ -z "$late" ] || "$bin/cudadvise" show "$@" >>report
}

# of FILTER: print a value from run.json.
of() {
	jq -r "$1" run.json
}

# fail TEXT: print what is wrong, and the end of the report.
fail() {
	echo "$*"
	[ -f report ] && tail -n 30 report
	return 1
}

# The code of a refusal decides what is reported, not what is cleaned up: with a
# sanitizer each function is refused with one code only.
another_code() {
	[ -z "${E2E_SANITIZE:-}" ] || skip "one code is enough for a sanitizer"
}

# same WHAT GOT WANT
same() {
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# has_launches LAUNCHES KERNELS: the run must have exactly these, and no loss.
has_launches() {
	same "launches, kernels, lost records, complete data" "$(of '.run |
	    [.launches, .kernels, .data.lost, .data.complete] |
	    map(tostring) | join(" ")')" "$1 $2 0 true"
}
