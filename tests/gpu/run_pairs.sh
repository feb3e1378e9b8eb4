#!/bin/bash
# run_pairs.sh BUILD OUT [PAIR…]: every reference pair under cudadvise: the rule
# of its name must find the bad variant and not the good one. Pairs whose kernel
# has a line marked are run with --level source, and must be found at that line
# (tests/rules/lines.sh). The pair that is about errors runs under cudadvise
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
# Predictions rest on this GPU's ceilings, as they should for a user.
if "$cudadvise" calibrate >"$OUT/calibrate.out" 2>"$OUT/calibrate.err"; then
	cp "$CUDADVISE_STATE_DIR"/calibration/*.json "$OUT"/ 2>/dev/null
else
	echo "FAIL: cudadvise calibrate, see $OUT/calibrate.err"
	failed=1
fi

# by_line PAIR: is it about lines?
by_line() {
	grep -qE '/\* (HERE|NOWHERE) \*/$' "$sources/${1//-/_}.cu"
}

sources=$here/../../kernels
marked=()
# Those about several GPUs need a second one.
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
