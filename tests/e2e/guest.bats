# The library shares the program's process: it must not change the program's
# state around its calls, and must survive what the program does to the process.

load common

@test "a launch leaves errno as it was" {
	options=
	# Looking for the list of counters fails with ENOENT; the target compares errno.
	cp -r "$CUDADVISE_DATA_DIR" "$T/data"
	rm -r "$T/data/metrics"
	CUDADVISE_DATA_DIR=$T/data measure --kernels 200
	load
	has_launches 200 4
}

@test "a locale that writes decimals with a comma does not change the budget" {
	command -v localedef || skip "no localedef"
	localedef -i de_DE -f UTF-8 "$T/de_DE.UTF-8" 2>/dev/null || :
	[ -e "$T/de_DE.UTF-8/LC_NUMERIC" ] || skip "no source of de_DE"
	# 30 windows of 0.1 s: more than the 2.5 s that any budget allows.
	options="--overhead-budget 90 --max-stall 1000"
	# glibc copies it and never frees the copy.
	export LOCPATH=$T ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	export LC_ALL=de_DE.UTF-8 2>/dev/null
	MOCK_SLOW=cuptiProfilerHostEvaluateToGpuValues=150 measure --kernels 4000 \
	    --signatures 10 --pause-us 500
	unset LC_ALL
	load
	same "diagnostics" "$(of '[.diagnostics[] | select(.code ==
	    "budget")] | length')" 0
	same "with counters" "$(of '[.kernels[] | select(.metrics_complete)] |
	    length')" 10
}

@test "a program without standard streams does not print to the daemon" {
	"$bin/cudadvise" run -- sh -c 'exec "$0" "$@" <&- >&-' "$target" \
	    --kernels 300 --pause-us 1000 --stdout hello --time 2>report
	load
	has_launches 300 4
	! grep "was disconnected" "$CUDADVISE_STATE_DIR/cudadvised.log" ||
	    fail "the daemon was sent something else"
}

@test "records that waited for a slow flush are all recorded" {
	[ -z "${E2E_SANITIZE:-}" ] || skip "a sanitizer is too slow to fill it"
	options="--level trace"
	# More than the queue holds once decoded, and no more than may wait
	# undecoded, as CUPTI delivered it (256 MiB).
	MOCK_SLOW=cuptiActivityFlushAll=3000@1,cuptiActivityFlushAll=0@2 \
	    measure --kernels 1150000 --signatures 4
	load
	has_launches 1150000 4
}

@test "the program's memory stays bounded while a flush does not return" {
	[ -z "${E2E_SANITIZE:-}" ] || skip "a sanitizer is too slow to fill it"
	options="--level trace"
	MOCK_SLOW=cuptiActivityFlushAll=8000@1,cuptiActivityFlushAll=0@2 \
	    measure --kernels 4000000 --signatures 4 --peak
	load
	peak=$(awk '/^peak_kib/ { print $2 }' out)
	[ "$peak" -lt 500000 ] || fail "$peak KiB"
	same "launches that are there or counted as lost" "$(of '.run.launches +
	    .run.data.lost >= 4000000')" true
}
