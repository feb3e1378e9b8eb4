# common.sh: for the GPU test scripts. `. common.sh` after setting BUILD and
# OUT. State and sockets are separate from the user's; they are in /tmp because
# a socket's path must be short.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$BUILD/bin
programs=$BUILD/bin/gpu
cudadvise=$bin/cudadvise
kernels=$bin/cudadvise-kernels

# skip REASON: tell ctest and people that the test is skipped.
skip() {
	echo "skipped: $1"
	exit 77
}

# Sets up directories for this test, and the path of the data in the source tree.
places() {
	mkdir -p "$OUT"
	scratch=$(mktemp -d /tmp/cadv.XXXXXX)
	export CUDADVISE_RUNTIME_DIR=$scratch/r CUDADVISE_STATE_DIR=$scratch/s
	export CUDADVISE_CONFIG=$scratch/empty.conf
	: >"$CUDADVISE_CONFIG"
	mkdir -m 700 "$scratch/r" "$scratch/s"
	# From a build directory outside the sources the programs do not find
	# their data.
	if [ -z "${CUDADVISE_DATA_DIR:-}" ] && [ -d "$here/../../config/metrics" ]
	then
		CUDADVISE_DATA_DIR=$(cd "$here/../../config" && pwd)
		export CUDADVISE_DATA_DIR
	fi
	trap finish EXIT
}

# Sets up the environment; skips without a GPU or without what was built.
prepare() {
	local why
	[ -x "$cudadvise" ] || skip "$cudadvise was not built"
	[ -x "$programs/launch_loop" ] || skip "$programs/launch_loop was not built"
	why=$("$programs/launch_loop" 1 2>&1 >/dev/null) ||
	    skip "${why:-the GPU does not work}"
	places
}

finish() {
	"$cudadvise" daemon stop >/dev/null 2>&1
	rm -rf "$scratch"
}

# find_tool NAME PATTERN…: print the tool's path: the one in PATH, else the
# first file that exists.
find_tool() {
	local name=$1 p
	shift
	command -v "$name" && return 0
	for p in "$@"; do
		[ -x "$p" ] && echo "$p" && return 0
	done
	return 1
}

find_nsys() {
	find_tool nsys /usr/local/cuda/bin/nsys \
	    /opt/nvidia/nsight-systems/*/bin/nsys \
	    /opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys
}

find_ncu() {
	find_tool ncu /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu
}
