# The injection library's records of copies, managed memory and several GPUs,
# tested by the findings that need them.

load common

# measured ARGUMENTS OF TARGET: record a capture, and write its findings to run.json.
measured() {
	options="--level trace --no-daemon -o $T/run.cadv"
	measure --kernels 20 --pause-us 200 "$@"
	"$bin/cudadvise" findings --all --json "$T/run.cadv" >run.json
}

# state RULE
state() {
	of ".rules[] | select(.rule == \"$1\") | .state"
}

# value RULE EVIDENCE
value() {
	of ".items[] | select(.rule == \"$1\") | .evidence[] |
	    select(.name == \"$2\") | .value"
}

@test "addresses of copies: what came down and goes up again" {
	measured --round-trips 200
	same "state" "$(state redundant-transfers)" found
	same "round trips" "$(value redundant-transfers copies)" 200
	same "ranges" "$(value redundant-transfers ranges)" 1
	same "bytes" "$(value redundant-transfers bytes)" 209715200
	n=$(value redundant-transfers quick_copies)
	[ "$n" -ge 100 ] || fail "only $n at once"
}

@test "data that is copied only once is no finding" {
	measured
	same "state" "$(state redundant-transfers)" clean
}

# again ARGUMENTS OF TARGET: 100 copies of the same 4 MiB, at a level that compares them.
again() {
	options="--level counters --no-daemon -o $T/again.cadv"
	measure --kernels 1 --signatures 1 --again 100 "$@" || return
	"$bin/cudadvise" findings --all --json "$T/again.cadv" >run.json
	"$bin/cudadvise" show --json "$T/again.cadv" >show.json
}

@test "repeated copies: the bytes are compared, and all are the same" {
	again
	same "state" "$(state redundant-transfers)" found
	same "copies" "$(value redundant-transfers copies)" 99
	same "comparisons" "$(value redundant-transfers comparisons)" 4
	same "equal" "$(value redundant-transfers equal_ratio)" 1
	of '.items[].summary' | grep -q "all 4 copies that were compared" ||
	    fail "$(of '.items[].summary')"
	jq -e ".run.overhead.held.count >= 6" show.json || fail "not charged"
}

@test "repeated copies: a part changes, or most of it" {
	again --changes 10
	# A busy machine has used up what comparing may cost before the fourth.
	n=$(value redundant-transfers comparisons)
	[ "$n" -ge 2 ] && [ "$n" -le 4 ] || fail "$n comparisons"
	value redundant-transfers equal_ratio | grep -q "^0.99" ||
	    fail "$(value redundant-transfers equal_ratio)"
	same "severity" "$(of '.items[] | select(.rule ==
	    "redundant-transfers") | .severity')" low
	again --changes 1000
	same "state" "$(state redundant-transfers)" clean
}

@test "repeated copies: a bad source is the driver's to refuse" {
	again --bad-source || fail "it ended with $?"
	same "comparisons" "$(value redundant-transfers comparisons)" ""
	same "copies" "$(value redundant-transfers copies)" 99
}

@test "the same content from other addresses: compared by size" {
	options="--level counters --no-daemon -o $T/e.cadv"
	measure --kernels 1 --signatures 1 --elsewhere 200
	"$bin/cudadvise" findings --all --json "$T/e.cadv" >run.json
	same "state" "$(state redundant-transfers)" found
	same "where" "$(of '.items[] | select(.rule == "redundant-transfers") |
	    .where')" "the same content"
	same "copies" "$(value redundant-transfers copies)" 193
	same "ranges" "$(value redundant-transfers ranges)" 7
	same "equal" "$(value redundant-transfers equal_ratio)" 1
	of '.items[].summary' | grep -q "carried the same zeros" ||
	    fail "$(of '.items[].summary')"
	# Other data each time, all of it or a part.
	for n in 1048576 60000; do
		measure --kernels 1 --signatures 1 --elsewhere 200 --other $n
		"$bin/cudadvise" findings --all --json "$T/e.cadv" >run.json
		same "state of $n" "$(state redundant-transfers)" clean
	done
}

@test "repeated copies: nothing is read at level trace" {
	measured --again 100
	same "state" "$(state redundant-transfers)" found
	same "comparisons" "$(value redundant-transfers comparisons)" ""
}

@test "a copy between GPUs that goes through the host" {
	measured --contexts 2 --peer-copies 40
	same "state" "$(state peer-access-off)" found
	same "bytes" "$(value peer-access-off staged_bytes)" 41943040
	same "enabled" "$(value peer-access-off peer_enabled)" 0
	of '.items[].where' | grep -q "from GPU 0 to GPU 1" ||
	    fail "not from 0 to 1"
	# Neither half has a host address, so no repeated copy is found.
	same "again" "$(of '[.items[] | select(.rule ==
	    "redundant-transfers")] | length')" 0
}

@test "peer access: which of the runtime's calls and the driver's is seen" {
	for how in 1 2; do
		measured --contexts 2 --peer-copies 40 --enable-peer $how
		same "enabled" "$(value peer-access-off peer_enabled)" 1
	done
}

@test "managed memory: events are watched from the first allocation on" {
	measured --managed 64
	same "state" "$(state unified-memory-faults)" found
	same "groups of faults" "$(value unified-memory-faults gpu_faults)" 32
	same "bytes" "$(value unified-memory-faults up_bytes)" 67108864
	MOCK_TRACE=$T/trace measured
	same "state" "$(state unified-memory-faults)" clean
	! grep -q UnifiedMemory "$T/trace" || fail "watched for nothing"
}

@test "copies between GPUs are traced only where there is a second GPU" {
	options="--level trace --no-daemon -o $T/c.cadv"
	MOCK_PEERS_BREAK=1 measure --graphs 5
	MOCK_TRACE=$T/one measure
	MOCK_TRACE=$T/two measure --contexts 2 --pause-us 20000
	one=$(grep -c '^cuptiActivityEnable$' "$T/one")
	same "kinds" "$(grep -c '^cuptiActivityEnable$' "$T/two")" $((one + 1))
}

@test "beside XLA no copies are traced, unless it makes no graphs" {
	cp "$E2E_BUILD/lib/libmock_sibling.so" "$T/xla_cuda_plugin.so"	# any library
	# It may come after the first kernels.
	MOCK_COPIES_BREAK=1 measured --load "$T/xla_cuda_plugin.so" --graphs 5
	[ -z "${E2E_SANITIZE:-}" ] || return 0	# a sanitizer wants to come first
	export LD_PRELOAD=$T/xla_cuda_plugin.so
	MOCK_COPIES_BREAK=1 measured --round-trips 200 --graphs 5
	same "state" "$(state redundant-transfers)" not_measured
	of '.rules[] | select(.rule == "redundant-transfers") | .reason' |
	    grep -q "XLA's command buffers" || fail "$(of .rules[0])"
	export XLA_FLAGS="--xla_gpu_enable_command_buffer= --xla_dump_to=x"
	measured --round-trips 200 --graphs 5
	same "state" "$(state redundant-transfers)" found
}

# A kernel may wait for memory that the host writes, another stream, or another GPU. It
# would not end while the host is held, so it is measured while the program goes on.
@test "a kernel is measured without being waited for" {
	options="--level counters --no-daemon -o $T/c.cadv"
	for how in "--managed 1" "--pinned 1" "--side-streams 1" \
	    "--contexts 2 --enable-peer 2"; do
		measure $how --kernels 1 --signatures 1 --kernel-us 3000000 \
		    --longest
		awk '$1 == "longest_ms" { exit !($2 < 2000) }' out ||
		    fail "$how: held: $(cat out)"
		load "$T/c.cadv"
		same "launches" "$(of .run.launches)" 1
		same "measured" "$(of .run.overhead.profiled_launches)" 1
		# Another kernel ran at the same time: the counts belong to neither.
		measure $how --kernels 2 --signatures 1 --kernel-us 1500000
		load "$T/c.cadv"
		of '.kernels[0].headline.occupancy.reason' |
		    grep -qE "max-stall|it shared the GPU with other" ||
		    fail "$how: no reason"
		# Kernels that end soon are measured one by one.
		measure $how --kernels 40 --signatures 2 --kernel-us 30
		load "$T/c.cadv"
		same "measured" "$(of '[.kernels[] |
		    select(.metrics_complete)] | length')" 2
	done
}

@test "managed memory: a CUPTI that does not know all events, or none" {
	export MOCK_REFUSE=cuptiActivityConfigureUnifiedMemoryCounter=1
	measured --managed 64
	same "state" "$(state unified-memory-faults)" not_measured
	of '.rules[] | select(.rule == "unified-memory-faults") | .reason' |
	    grep -q "CUPTI refused" || fail "no reason"
	# The first attempt requests all events, the second only the older ones.
	export MOCK_MANAGED=4
	unset MOCK_REFUSE
	measured --managed 64
	same "state" "$(state unified-memory-faults)" found
}

# calls: the recorded calls of arrays and textures, in order of their names
calls() {
	rm -f calls.db
	"$bin/cudadvise" export --format sqlite -o calls.db "$T/run.cadv"
	sqlite3 calls.db "SELECT name, count(*) FROM operation
	    WHERE name LIKE '%Array' OR name LIKE '%Texture%'
	    GROUP BY name ORDER BY name" | tr '|\n' ' ,'
}

@test "arrays and textures: each call is recorded once" {
	for kind in textures hidden-textures; do
		measured --$kind 50
		same "$kind" "$(calls)" "cudaCreateTextureObject 50,\
cudaDestroyTextureObject 50,cudaFreeArray 50,cudaMallocArray 50,"
		same "state" "$(state device-memory-leak)" clean
	done
}

@test "hidden GPUs do not count as usable" {
	measured --contexts 2 --kernel-us 50
	same "state" "$(state idle-gpus)" found
	same "seen" "$(value idle-gpus gpus_seen)" 2
	MOCK_HIDDEN=1 measured --contexts 2 --kernel-us 50
	same "state" "$(state idle-gpus)" clean
}

@test "allocations: what is never released, and what is not the program's own" {
	measured --allocations 50 --leak 30 --import
	same "state" "$(state device-memory-leak)" found
	same "allocations" "$(value device-memory-leak leaked_allocations)" 30
	same "bytes" "$(value device-memory-leak leaked_bytes)" 31457280
	same "at once" "$(value device-memory-leak peak_bytes)" 31457280
	measured --allocations 50 --import
	same "state" "$(state device-memory-leak)" clean
}
