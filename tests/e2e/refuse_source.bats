# CUPTI refuses calls of the source tier, in each place: as in refuse.bats.
# Times and counters must be complete.

load common

# The functions of the source tier that such a run calls, except those that only
# clean up.
source_functions() {
	options="$patient --level source --no-daemon -o $T/all.cadv"
	MOCK_TRACE=$T/calls measure --kernels 1500 --signatures 4 \
	    --kernel-us 50
	sort -u calls | grep -E '^cupti(SassMetrics|PCSampling|GetCubinCrc)' |
	    grep -v -E 'Disable$'
}

# lineless FUNCTION=CODE: times and counters must be complete, nothing dropped,
# and the report must say what is missing, with a remedy.
lineless() {
	rm -f "$T/c.cadv"
	options="$patient --level source --no-daemon -o $T/c.cadv"
	MOCK_REFUSE=$1 measure --kernels 1500 --signatures 4 --kernel-us 50 \
	    --stdout "as ever" --exit-code 3 && fail "$1: exit code 0"
	same "$1: output" "$(cat out)" "as ever"
	load "$T/c.cadv" || fail "$1: no report"
	has_launches 1500 4
	same "$1: exit code in the run, measured" "$(of '"\(.run.exit_code) \([
	    .kernels[] | select(.metrics_complete)] | length)"')" "3 4"
	[ "$(of "[.diagnostics[] | select(.severity != \"info\" and
	    .remedy != null and .where == \"${1%%=*}\")] | length")" -gt 0 ] ||
	    fail "$1: no diagnostic with a remedy: $(of .diagnostics)"
	for k in 0 3; do
		"$bin/cudadvise" annotate --json --run "$T/c.cadv" kernel$k \
		    >code.json
		same "$1: silent kernels" "$(jq '(.counted | not) and
		    .missing.counts == null or (.sampled | not) and
		    .missing.samples == null' code.json)" false
	done
}

lineless_everywhere() {
	# The call that ends it when the context is destroyed is left out:
	# nothing is missing then.
	list=$(source_functions | grep -v UnsetConfig)
	[ "$(echo "$list" | wc -l)" -ge 11 ] ||
	    fail "too few functions: $list"
	for f in $list; do
		lineless "$f=$1"
	done
}

@test "source tier refused with 35 (permission), wherever" {
	another_code
	lineless_everywhere 35
}

@test "source tier refused with 26 (hardware busy), wherever" {
	lineless_everywhere 26
}

@test "source tier refused with 15 (not initialised), wherever" {
	another_code
	lineless_everywhere 15
}

@test "source tier refused with 39 and 14 (another tool, not compatible)" {
	for code in 39 14; do
		for f in cuptiSassMetricsEnable cuptiSassMetricsFlushData \
		    cuptiPCSamplingEnable cuptiPCSamplingGetData; do
			lineless "$f=$code"
		done
	done
}

@test "source tier refused in the middle of the run" {
	for f in cuptiSassMetricsEnable cuptiSassMetricsGetDataProperties \
	    cuptiSassMetricsFlushData; do
		lineless "$f=26@2"
	done
}

@test "tidying up of the source tier refused: the program is unharmed" {
	options="$patient --level source --no-daemon -o $T/c.cadv"
	for f in cuptiSassMetricsDisable cuptiPCSamplingDisable \
	    cuptiSassMetricsUnsetConfig; do
		rm -f "$T/c.cadv"
		MOCK_REFUSE=$f=26 measure --kernels 1500 --signatures 4 \
		    --kernel-us 50 --stdout "as ever" --exit-code 3 &&
		    fail "$f: exit code 0"
		same "$f: output" "$(cat out)" "as ever"
		load "$T/c.cadv"
		has_launches 1500 4
	done
}
