# A launch that is run again, so that a kernel that is launched once has all that takes
# several launches (injection/again.h): its memory is what its own launch left, and
# none is run again that may wait for another thread or write what is not known.

load common

export CUDADVISE_REPEAT=1
options="$patient --no-daemon -o c.cadv"

# again NUMBER OF TARGET: the target's kernels ran so often in all; what they left in
# memory is what they leave there by themselves.
again() {
	local runs=$1
	shift
	rm -f calls
	MOCK_TRACE=$T/calls measure --kernel-us 200 --content "$@"
	load c.cadv
	same "runs" "$(grep -c '^on ' calls)" "$runs"
	MOCK_TRACE= "$target" --kernel-us 200 --content "$@" | sort >alone
	sort out | cmp - alone || fail "$(cat out), alone $(cat alone)"
	! grep -E '^(busy|racing|captured) ' calls || fail "not alone: $*"
}

# why KERNEL: it has not all.
why() {
	of ".kernels[] | select(.mangled == \"$1\") | .not_measured"
}

complete() {
	of '[.kernels[] | select(.metrics_complete)] | length'
}

counted() {
	of .run.source.kernels_counted
}

@test "a kernel that is launched once has all counters, and counts by instruction" {
	# The launch, counts by instruction, two passes.
	export MOCK_LONGER=10
	again 12 --kernels 3 --signatures 3
	has_launches 3 3
	same "complete, counted" "$(complete) $(counted)" "3 3"
	# Each further run begins with what the launch began with.
	same "beginnings" "$(grep '^on ' calls | sort | uniq -c |
	    awk '{ print $1 }' | tr '\n' ' ')" "4 4 4 "
	# Our copies are not the program's: it has one memset of 1 us.
	of .run | jq -e '.summary.copy_ratio * .wall_ns < 10000' ||
	    fail "$(of .run.summary)"
	of .run.overhead.held | jq -e '.replay_s > 0.002' ||
	    fail "$(of .run.overhead.held)"
	# The second configuration takes two turns of the profiler: not for
	# kernels of less than a millisecond, nor for ever.
	MOCK_LONGER=1 again 6 --kernels 3 --signatures 3
	same "complete, counted" "$(complete) $(counted)" "0 3"
	again 24 --kernels 8 --signatures 8 --memory 100
	same "complete, counted" "$(complete) $(counted)" "4 8"
}

@test "a kernel that is launched again is run again once" {
	MOCK_LONGER=10 again 403 --kernels 400 --signatures 1
	has_launches 400 1
	same "complete, counted" "$(complete) $(counted)" "1 1"
}

@test "code that may wait for another thread, or is not known, is not run again" {
	MOCK_CUBIN=$BATS_TEST_DIRNAME/../mock/waits.cubin \
	    again 1 --kernels 1 --signatures 1
	same "counted" "$(counted)" 0
	same "why" "$(why _Z7kernel0Pf)" "too few launches, and its code may wait for another thread: it is not run again (use --replay if it waits for nobody)"
	again 17 --kernels 9 --signatures 9	# the last has no code
	same "why" "$(why _Z7kernel8Pf)" "too few launches, and its code does more than read and write memory, or is not known: it is not run again (use --replay)"
}

@test "where others may reach the memory nothing is run again" {
	for reach in "--managed 1" "--side-streams 1"; do
		rm -f calls
		MOCK_TRACE=$T/calls measure --kernel-us 200 --kernels 2 \
		    --signatures 2 $reach
		load c.cadv
		! grep -q '^cuLaunchKernel$' calls || fail "$reach: again"
	done
	again 2 --kernels 2 --signatures 2 --pinned 1
	same "why" "$(why _Z7kernel0Pf)" "too few launches, and the host, another thread or stream may reach its memory: it is not run again (use --replay)"
	MOCK_HMM=1 again 1 --kernels 1 --signatures 1
	same "counted" "$(counted)" 0
	again 2 --kernels 2 --signatures 2 --import
	same "why" "$(why _Z7kernel0Pf)" "too few launches, and its memory is managed, mapped or not known: it is not run again (use --replay)"
}

@test "another thread waits, or comes first: memory is what it is alone" {
	measure --threads 4 --kernels 20 --signatures 8 --kernel-us 200 \
	    --round-trips 20 --content
	"$target" --threads 4 --kernels 20 --signatures 8 --content |
	    sort >alone
	sort out | cmp - alone || fail "$(cat out), alone $(cat alone)"
}

@test "more memory than may be saved" {
	again 1 --kernels 1 --signatures 1 --memory 5000
	same "why" "$(why _Z7kernel0Pf)" "too few launches, and the memory to save is too large to run it again (use --replay)"
	MOCK_FREE_MIB=300 again 1 --kernels 1 --signatures 1 --memory 100
	same "counted" "$(counted)" 0
	MOCK_FREE_MIB=500 again 2 --kernels 1 --signatures 1 --memory 100
	same "counted" "$(counted)" 1
}

@test "a kernel that does not end in time is left alone, its copy released" {
	options="--no-daemon -o c.cadv"
	MOCK_TRACE=$T/calls measure --kernels 3 --signatures 1 \
	    --kernel-us 300000 --content --longest
	awk '$1 == "longest_ms" { exit !($2 < 900) }' out || fail "$(cat out)"
	load c.cadv
	same "runs" "$(grep -c '^on ' calls)" 3
	same "allocated, released" "$(grep -c '^cuMemAlloc_v2$' calls) $(grep -c \
	    '^cuMemFree_v2$' calls)" "1 1"
}

@test "a copy that fails: the launch is not run again, and nothing is lost" {
	for call in cuMemAlloc_v2=2 cuMemAlloc_v2=2@2 \
	    cuMemcpyDtoDAsync_v2=1@2; do
		MOCK_REFUSE=$call again 1 --kernels 1 --signatures 1
		same "counted after $call" "$(counted)" 0
	done
	# The launch itself is refused: the counts are missing, no result.
	MOCK_REFUSE=cuLaunchKernel=1 again 1 --kernels 1 --signatures 1
}

@test "what is off runs nothing again" {
	CUDADVISE_REPEAT=0 again 3 --kernels 3 --signatures 3
	same "counted" "$(counted)" 0
	options="$options --level counters"
	again 3 --kernels 3 --signatures 3
}
