#!/usr/bin/env bash
#
# bench.sh BUILD [LAUNCHES]: measures the project's own speed. Prints one table,
# each figure with its bar and with a baseline from the same run. Nothing here
# passes or fails: timings on a shared machine are for people to read.

set -u
build=$(cd "${1:?usage: bench.sh BUILD [LAUNCHES]}" && pwd) || exit 1
launches=${2:-10000000}
repo=$(cd "$(dirname "$0")/../.." && pwd)
T=$(mktemp -d /tmp/cadv-bench.XXXXXX)
export CUDADVISE_RUNTIME_DIR=$T/r CUDADVISE_STATE_DIR=$T/s XDG_CONFIG_HOME=$T/c
export CUDADVISE_DATA_DIR=$repo/config
daemon=
trap '[ -n "$daemon" ] && kill $daemon; wait; rm -rf "$T"' EXIT

row() { printf '%-34s %-20s %14s %10s  %s\n' "$@"; }
table() {
	# (read takes two tabs for one)
	sed $'s/\t\t/\t-\t/g' | while IFS=$'\t' read -r what figure value bar note; do
		row "$what" "$figure" "$value" "${bar:--}" "$note"
	done
}
row "what" "figure" "value" "bar" ""

# --- a launch: without a tool, with an empty callback, with our library -----------

# ns_per_launch LIBRARY LEVEL: the median of five runs.
ns_per_launch() {
	local i
	for i in 1 2 3 4 5; do
		CUDA_INJECTION64_PATH=$1 CUDADVISE_LEVEL=$2 \
		    CUDADVISE_RUN=00112233445566778899aabbccddeeff \
		    CUDADVISE_METRICS=$repo/config/metrics \
		    CUDADVISE_SPOOL=$T/spool \
		    "$build/bin/mock-target" --kernels 300000 --time |
		    sed -n 's/^ns_per_launch //p'
		rm -rf "$T/spool"/*
	done | sort -n | sed -n 3p
}

if [ -x "$build/bin/mock-target" ]; then
	export CUDADVISE_CUPTI=$build/lib/libmock_cupti.so
	export CUDADVISE_LIBCUDA=$CUDADVISE_CUPTI
	ours=$build/lib/libcudadvise_injection.so
	mkdir -p "$T/spool"
	none=$(ns_per_launch "" trace)
	empty=$(ns_per_launch "$build/lib/libempty_injection.so" trace)
	trace=$(ns_per_launch "$ours" trace)
	counters=$(ns_per_launch "$ours" counters)
	{
		printf 'launch (mock)\tnone_ns\t%s\t\t\n' "$none"
		printf 'launch (mock)\tempty_callback_ns\t%s\t\t\n' "$empty"
		printf 'launch (mock)\ttrace_ns\t%s\t\t%s\n' "$trace" \
		    "$(awk "BEGIN { printf \"%.2f × empty\", $trace / $empty }")"
		printf 'launch (mock)\tcounters_ns\t%s\t\t%s\n' "$counters" \
		    "$(awk "BEGIN { printf \"%.2f × empty\", $counters / $empty }")"
		printf 'launch (mock)\tcallback_ns\t%s\t\t%s\n' \
		    "$(awk "BEGIN { printf \"%.0f\", $trace - $empty }")" \
		    "ours less the empty one, recording and sending included"
	} | table
	unset CUDADVISE_CUPTI CUDADVISE_LIBCUDA
fi

# --- the daemon's work ------------------------------------------------------

"$build/bin/bench-records" 1000000 5 | table

mkdir -p "$T/r" "$T/s"
chmod 700 "$T/r" "$T/s"
"$build/bin/cudadvised" --foreground 2>"$T/log" &
daemon=$!
for _ in $(seq 100); do
	[ -S "$T/r/ingest.sock" ] && [ -S "$T/r/api.sock" ] && break
	sleep 0.1
done
"$build/bin/bench-daemon" "$T/r/ingest.sock" "$T/r/api.sock" $daemon \
    "$launches" >"$T/out" || { tail "$T/log"; exit 1; }
table <"$T/out"
size=$(stat -c %s "$T"/s/runs/*/capture.cadv | awk '{ s += $1 } END { print s }')
printf 'daemon\tcapture_bytes_per_launch\t%s\t\t\n' \
    "$(awk "BEGIN { printf \"%.1f\", $size / $launches }")" | table
