#!/usr/bin/env bash
#
# numbers.sh CUDADVISE DIR...: checks the reports of all captures in DIR... for
# impossible numbers (numbers.jq): shares must not exceed one, savings must not exceed
# the time there is, intervals must be in order. Prints a line for each violation.

set -u
cli=${1:?usage: numbers.sh CUDADVISE DIR...}
shift
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Do not use the user's daemon, configuration or calibration.
export CUDADVISE_RUNTIME_DIR=$work/run CUDADVISE_STATE_DIR=$work/state
export CUDADVISE_CONFIG=$work/cudadvised.conf LC_ALL=C.UTF-8
: >"$CUDADVISE_CONFIG"
count=0
failed=0

shopt -s nullglob
for dir; do
	for capture in "$dir"/*.cadv; do
		"$cli" show --format json "$capture" >"$work/show" &&
		    jq -r -f "$here/numbers.jq" "$work/show" >"$work/said" ||
		    { echo "FAIL $capture cannot be judged"; exit 1; }
		count=$((count + 1))
		[ -s "$work/said" ] || continue
		failed=1
		sed "s|^|FAIL $(basename "$capture" .cadv): |" "$work/said"
	done
done

# Changes that make a report with a finding about a kernel impossible; each must
# be found.
broken=(
	'.findings.items[0].saves.low_s = 2 * .findings.items[0].saves.s'
	'.findings.items[0].saves.high_s = 1e9'
	'.findings.items[0].saves.kernel_speedup_ratio = 1'
	'.findings.items[0].saves.kernel_speedup_ratio = 0.5'
	'.findings.items[0].saves.share_ratio = 1.1'
	'.findings.items[0].evidence[0] += { name: "x_ratio",
	    unit: "ratio", value: 1.2 }'
	'.findings.items[0].evidence[0] += { name: "wavefronts_per_inst",
	    value: 0.73 }'
	'.findings.items[0].evidence[0] += { name: "sectors_ratio",
	    value: 0.9 }'
	'.findings.items[0].rule = "low-theoretical-occupancy" |
	    .kernels[] += { grid: [132, 1, 1],
	    occupancy: { waves: 1, blocks_per_sm: 1 } }'
	'.findings.items[0].rule = "grid-too-small" |
	    .findings.items[0].saves.kernel_speedup_ratio = 140 |
	    .kernels[] += { grid: [1, 1, 1],
	    occupancy: { waves: (1 / 132), blocks_per_sm: 1 } }'
	'.findings.items[0].kernel_id as $k | .findings.items[0].shapes.items =
	    [{ kernel_id: $k, saves: { low_s: 2e-9, s: 1e-9, high_s: 1e-9 } }]'
	'.kernels[].exposed_ns = 1'
	'.kernels[].time.mean_ns = 1e15'
	'.kernels[].headline.occupancy.value = 1.4'
	'.kernels[].share_ratio = 1.01'
	'.run.summary.idle_ratio = -0.1'
	'.run.together_s = 1e9'
)
"$cli" show --format json "$here/../captures/programs/matrixmul.cadv" \
    >"$work/show" || exit 1
for what in "${broken[@]}"; do
	jq "$what" "$work/show" | jq -r -f "$here/numbers.jq" >"$work/said" &&
	    [ -s "$work/said" ] ||
	    { echo "FAIL nothing is said of a report with $what"; failed=1; }
done
[ "$count" -gt 0 ] || { echo "no captures in $*"; exit 1; }
echo "$count reports"
exit $failed
