#!/bin/bash
# run_pairs.sh BUILD OUT [PAIR…]: runs every reference pair under cudadvise: the
# rule that it is named after must find the bad variant and not the good one. A
# pair with a marked line runs with --level source, and the finding must name
# that line (tests/rules/lines.sh). The pair about errors runs under cudadvise
# sanitize, which needs compute-sanitizer. Writes OUT/<pair>.<variant>.cadv,
# .json (the findings), .out, .err, and OUT/table.txt.
set -u
BUILD=${1:?usage: run_pairs.sh BUILD OUT [PAIR…]}
OUT=${2:?usage: run_pairs.sh BUILD OUT [PAIR…]}
shift 2
. "$(dirname "$0")/common.sh"
prepare
[ -x "$kernels" ] || skip "$kernels was not built"

if [ $# -eq 0 ]; then
	set -- $("$kernels" --list | cut -d' ' -f1)
fi
failed=0
# Calibrate, because a user's predictions use this GPU's measured ceilings.
if "$cudadvise" calibrate >"$OUT/calibrate.out" 2>"$OUT/calibrate.err"; then
	cp "$CUDADVISE_STATE_DIR"/calibration/*.json "$OUT"/ 2>/dev/null
else
	echo "FAIL: cudadvise calibrate, see $OUT/calibrate.err"
	failed=1
fi

# by_line PAIR: whether its source has a marked line.
by_line() {
	grep -qE '/\* (HERE|NOWHERE) \*/$' "$sources/${1//-/_}.cu"
}

sources=$here/../../kernels
marked=()
# Pairs about several GPUs need a second one.
two_gpus=$("$kernels" peer-access-off --variant good --once >/dev/null 2>&1
    [ $? -eq 3 ] || echo yes)
ran=()
for pair in "$@"; do
	if [ -z "$two_gpus" ] &&
	    grep -q job_second "$sources/${pair//-/_}.cu"; then
		echo "SKIP: $pair: one GPU"
		continue
	fi
	ran+=("$pair")
	level=()
	if by_line "$pair"; then
		[ "$pair" = sanitizer-findings ] || level=(--level source)
		marked+=("$OUT/$pair.bad.json")
	fi
	for variant in bad good; do
		to=$OUT/$pair.$variant
		rm -f "$to".*
		want=0
		if [ "$pair" = sanitizer-findings ]; then
			[ $variant = good ] || want=1	# something was found
			"$cudadvise" sanitize --no-daemon -o "$to.cadv" \
			    --timeout 120 -- "$kernels" "$pair" \
			    --variant $variant --once >"$to.out" 2>"$to.err"
		else
			"$cudadvise" run --no-daemon "${level[@]}" \
			    -o "$to.cadv" -- "$kernels" "$pair" \
			    --variant $variant >"$to.out" 2>"$to.err"
		fi
		rc=$?
		if [ $rc -ne $want ]; then
			echo "FAIL: $pair $variant: exit status $rc:"
			tail -3 "$to.err"
			failed=1
		fi
		"$cudadvise" findings --all --format json "$to.cadv" \
		    >"$to.json" 2>>"$to.err" || {
			echo "FAIL: findings of $to.cadv"; failed=1; }
	done
done
python3 "$here/pairs_table.py" "$OUT" "${ran[@]}" | tee "$OUT/table.txt"
[ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
if [ ${#marked[@]} -gt 0 ]; then
	"$here/../rules/lines.sh" "$cudadvise" "$sources" "${marked[@]}" |
	    tee -a "$OUT/table.txt"
	[ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
fi
exit $failed
