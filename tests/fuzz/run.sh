#!/usr/bin/env bash
#
# run.sh BUILD SECONDS [FUZZER…]: run every fuzzer of a build (preset fuzz), or
# the named ones, for SECONDS each, as many at a time as there are processors
# ($JOBS). A crash, a leak, a hang or too much memory is a failure; the input is
# kept in BUILD/crashes.

set -u
build=${1:?usage: run.sh BUILD SECONDS}
seconds=${2:?usage: run.sh BUILD SECONDS}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
build=$(cd "$build" && pwd) || exit 1
corpus=$build/corpus
slots=${JOBS:-$(nproc)}
mkdir -p "$corpus" "$build/crashes"

shopt -s nullglob
captures=("$repo"/tests/captures/*.cadv "$repo"/tests/captures/*/*.cadv)
"$build/bin/fuzz-seeds" "$corpus" "${captures[@]:0:24}" || exit 1
mkdir -p "$corpus/fuzz_config"
for conf in "$repo"/config/*.conf "$repo"/tests/fuzz/config/*; do
	cp "$conf" "$corpus/fuzz_config/"
done
mkdir -p "$corpus/fuzz_cubin"
cp "$repo"/tests/captures/cubins/* "$corpus/fuzz_cubin/"
# The seeds that are committed for a harness: tests/fuzz/seeds/<harness>/…
for dir in "$here"/seeds/*/; do
	mkdir -p "$corpus/$(basename "$dir")"
	cp -r "$dir". "$corpus/$(basename "$dir")/"
done

# A small quarantine for freed memory suffices: inputs are small.
export ASAN_OPTIONS=quarantine_size_mb=16:${ASAN_OPTIONS:-}

# fuzz_whole is for tiny captures.
length_of() {
	case $1 in
	fuzz_whole) echo 4096 ;;
	fuzz_report | fuzz_text | fuzz_store) echo 2048 ;;
	*) echo 16384 ;;
	esac
}

# one NAME N: run it, and print one line with the result; the log stays beside
# the corpus.
one() {
	local name=$1 log=$build/corpus/$1.$2.log rc
	mkdir -p "$corpus/$name"
	"$build/bin/$name" -max_total_time="$seconds" -timeout=20 \
	    -rss_limit_mb=2048 -max_len="$(length_of "$name")" \
	    -print_final_stats=1 \
	    -artifact_prefix="$build/crashes/$name-" \
	    "$corpus/$name" >"$log" 2>&1
	rc=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	if [ $rc -eq 0 ]; then
		echo "$name: ${runs:-0} runs, nothing found"
	else
		echo "$name: FAILED ($rc); the end of $log:"
		tail -n 60 "$log"	# a stack, and what was wrong before it
	fi
	return $rc
}

fuzzers=("$build"/bin/fuzz_*)
[ $# -eq 0 ] || fuzzers=("${@/#/$build/bin/}")
[ ${#fuzzers[@]} -gt 0 ] || { echo "no fuzzers in $build/bin"; exit 1; }
# The slowest fuzzer fills the slots that would be empty in the last round.
while [ $# -eq 0 ] && [ $((${#fuzzers[@]} % slots)) -ne 0 ]; do
	fuzzers+=("$build/bin/fuzz_whole")
done
bad=0
running=0
begun=0
for fuzzer in "${fuzzers[@]}"; do
	if [ $running -ge "$slots" ]; then
		wait -n || bad=1
		running=$((running - 1))
	fi
	one "$(basename "$fuzzer")" $begun &
	begun=$((begun + 1))
	running=$((running + 1))
done
while [ $running -gt 0 ]; do
	wait -n || bad=1
	running=$((running - 1))
done
exit $bad
