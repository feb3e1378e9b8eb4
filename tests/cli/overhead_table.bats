#!/usr/bin/env bats
# The table of tests/gpu/overhead.sh, without a GPU: from times written by hand.

table() {
	PYTHONDONTWRITEBYTECODE=1 python3 \
	    "$BATS_TEST_DIRNAME/../gpu/overhead_table.py" "$1" 20 2000
}

# times TARGET MODE REPETITION VALUE WALL: a line of times.tsv
times() {
	printf '%s\t%s\t%s\t%s\t%s\t\t\n' "$@"
}

setup() {
	command -v python3 >/dev/null || skip "no python3"
	cd "$BATS_TEST_TMPDIR"
}

# Alone 0.4 s and 1 us a launch; traced 0.3 s and 500 ns more, of which the
# program's own clock sees half of the launch's part; one repetition is 20 ms
# faster, the other slower.
both_lengths() {
	local n rep off
	for n in 100000 400000; do
		for rep in 1 2; do
			[ $rep = 1 ] && off=0.02 || off=-0.02
			times loop-$n none $rep 1000 \
			    "$(echo $n | awk '{ print 0.4 + $1 * 1e-6 }')"
			times loop-$n trace $rep 1250 "$(echo $n $off |
			    awk '{ print 0.7 + $2 + $1 * 1.5e-6 }')"
		done
	done
}

@test "the cost once and the cost of each launch come from two lengths" {
	both_lengths > t
	run table t
	[ "$status" -eq 0 ]
	[[ "$output" == *"loop of 100,000 and 400,000 launches"* ]]
	read -r mode once _ each _ own _ launch _ n \
	    <<< "$(grep '^  trace' <<< "$output")"
	[ "$once $each" = "0.300 500" ]
	[ "$own $launch" = "0.000 250" ]
	[ "$n" = 2 ]
	# Levels that were not run are not listed.
	[[ "$output" != *counters* ]]
}

@test "one length alone tells neither" {
	both_lengths | grep -v 400000 > t
	run table t
	[ "$status" -eq 0 ]
	[[ "$output" != *"  trace"* ]]
}

@test "the other tables stay as they are, and nothing is a failure" {
	{ both_lengths; times loop none 1 1000 1.5; times loop trace 1 1300 1.9
	} > t
	run table t
	[ "$status" -eq 0 ]
	[[ "$output" == *"loop: alone 1000 ns a launch"*"trace     1.300"* ]]
	: > t
	run table t
	[ "$status" -eq 1 ]
	[[ "$output" == *"nothing was measured"* ]]
}

@test "a disturbed repetition does not change the fastest" {
	{ times loop none 1 1000 1.5; times loop trace 1 1100 1.9
	  times loop none 2 1000 1.5; times loop trace 2 1900 2.9
	  times loop none 3 1700 2.5; times loop trace 3 1600 2.9; } > t
	run table t
	[ "$status" -eq 0 ]
	[[ "$(grep '^  trace' <<< "$output")" == *" 1.100 "* ]]
}
