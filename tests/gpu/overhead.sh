#!/bin/bash
# overhead.sh BUILD OUT [REPETITIONS [TARGETS]]: what measuring costs, in ratios to the
# same program without anything, side by side in one run: an empty-kernel launch
# loop and a PyTorch training loop; none, cudadvise trace, cudadvise counters,
# nsys, and ncu with the same metrics on a few hundred launches. Writes
# OUT/times.tsv and OUT/overhead.txt. Exit status 1 if the trace tier costs more
# than half of nsys's slowdown, or if a program's output changed.
set -u
BUILD=${1:?usage: overhead.sh BUILD OUT [REPETITIONS]}
OUT=${2:?usage: overhead.sh BUILD OUT [REPETITIONS]}
repetitions=${3:-5}
targets=${4:-loop train}
. "$(dirname "$0")/common.sh"
prepare
nsys=$(find_nsys) || nsys=
ncu=$(find_ncu) || ncu=
times=$OUT/times.tsv
: >"$times"
failed=0
launches=300000			# of the loop
ncu_launches=200		# that ncu looks at

command_of() {			# TARGET: sets the array `target`
	case $1 in
	loop)	target=("$programs/launch_loop" $launches) ;;
	train)	target=(python3 "$here/train.py" 300) ;;
	esac
}

# What the program itself measured: ns a launch, or s of the loop.
reading() {
	sed -n 's/^\([0-9.]*\) \(ns\/launch\|s\)$/\1/p' "$1" | tail -1
}

# once TARGET MODE REPETITION: run it, append a line to times.tsv.
once() {
	local name=$1 mode=$2 rep=$3 to=$OUT/$1.$2 target start end rc value
	local -a wrap=()
	command_of "$name"
	case $mode in
	trace|counters)
		wrap=("$cudadvise" run -q --no-daemon --level "$mode"
		    -o "$scratch/run.cadv" --) ;;
	nsys)	wrap=("$nsys" profile -t cuda -s none --cpuctxsw=none
		    --force-overwrite true -o "$scratch/nsys") ;;
	ncu)	wrap=("$ncu" --clock-control none --metrics "$(metrics)"
		    --launch-count $ncu_launches --log-file "$to.log") ;;
	esac
	start=$(date +%s.%N)
	"${wrap[@]}" "${target[@]}" >"$to.out" 2>"$to.err"
	rc=$?
	end=$(date +%s.%N)
	if [ $rc -eq 77 ]; then
		tail -1 "$to.err"
		return 77
	fi
	# nsys reports its progress on stdout, and may keep the target's stderr.
	value=$(reading "$to.err")
	[ -n "$value" ] || value=$(reading "$to.out")
	if [ $rc -ne 0 ] || [ -z "$value" ]; then
		echo "FAIL: $name under $mode: status $rc, see $to.err"
		failed=1
		return 0
	fi
	if [ "$mode" = trace ] || [ "$mode" = counters ]; then
		cmp -s "$OUT/$name.none.out" "$to.out" || {
			echo "FAIL: $name prints something else under $mode"
			failed=1; }
	fi
	printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$mode" "$rep" "$value" \
	    "$(echo "$start $end" | awk '{print $2 - $1}')" >>"$times"
}

# The metrics of the counter tier, as ncu wants them.
metrics() {
	local list=$here/../../config/metrics/gh100.metrics
	sed 's/[#[].*//; /^[[:space:]]*$/d' "$list" | tr -d ' \t' | sort -u | paste -sd, -
}

modes="none trace counters"
[ -n "$nsys" ] && modes="$modes nsys" || echo "nsys was not found: left out"
for name in $targets; do
	for rep in $(seq "$repetitions"); do
		for mode in $modes; do
			once $name $mode "$rep" || break 2
		done
	done
	if [ -n "$ncu" ] && grep -q "^$name	" "$times"; then
		once $name ncu 1
	fi
done
[ -n "$ncu" ] || echo "ncu was not found: left out"

python3 - "$times" "$ncu_launches" >"$OUT/overhead.txt" <<'E2'
import statistics
import sys

runs = {}
with open(sys.argv[1]) as f:
    for line in f:
        name, mode, rep, value, wall = line.split("\t")
        runs.setdefault(name, {}).setdefault(mode, {})[int(rep)] = (
            float(value), float(wall))
failed = False
for name, modes in runs.items():
    none = modes.get("none", {})
    unit = "ns/launch" if name == "loop" else "s"
    print(f"{name}: none {statistics.median(v for v, _ in none.values()):.4g}"
          f" {unit} ({len(none)} repetitions)")
    slow = {}
    for mode, reps in modes.items():
        both = sorted(set(reps) & set(none))
        if mode in ("none", "ncu") or not both:
            continue
        ratios = [reps[r][0] / none[r][0] for r in both]
        walls = [reps[r][1] / none[r][1] for r in both]
        slow[mode] = statistics.median(ratios) - 1
        print(f"  {mode:9} {statistics.median(ratios):6.3f} × "
              f"({min(ratios):.3f} to {max(ratios):.3f}); with start and end "
              f"{statistics.median(walls):.3f} ×")
    if "ncu" in modes and none:
        extra = modes["ncu"][1][1] - statistics.median(
            w for _, w in none.values())
        print(f"  ncu       {extra:.1f} s more for {sys.argv[2]} launches: "
              f"{extra / int(sys.argv[2]) * 1e3:.1f} ms each")
    if "counters" in modes and none:
        extra = statistics.median(modes["counters"][r][1] - none[r][1]
                                  for r in set(none) & set(modes["counters"]))
        print(f"  counters  {extra:.2f} s more in all")
    if "trace" in slow and "nsys" in slow:
        good = slow["trace"] <= max(slow["nsys"] / 2, 0.02)
        failed |= not good
        print(f"  trace costs {slow['trace']:+.1%}, nsys {slow['nsys']:+.1%}: "
              f"{'at most half' if good else 'FAIL: more than half'}")
if not runs:
    print("FAIL: nothing was measured")
sys.exit(failed or not runs)
E2
[ $? -eq 0 ] || failed=1
cat "$OUT/overhead.txt"
exit $failed
