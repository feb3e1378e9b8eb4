#!/usr/bin/env bash
#
# frameworks.sh BUILD REPOSITORY: tests tests/gpu/frameworks.sh without a GPU: a
# fake cudadvise delivers committed captures for the programs, and the verdicts
# are checked. Also checks that every report fits on a screen, even that of a
# training step of a hundred launches. Exit status 77 without python3.

set -u
build=$1
repo=$2
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# One program's pair is recorded the wrong way round, the good variant of
# another fails, and for a third the framework is not installed.
fake=$work/build
mkdir -p "$fake/bin/gpu"
cat >"$fake/bin/cudadvise" <<END
#!/bin/bash
case \$1 in
run) ;;
calibrate | daemon) exit 0 ;;
*) exec "$build/bin/cudadvise" "\$@" ;;
esac
while [ "\$1" != -- ]; do
	[ "\$1" != -o ] || to=\$2
	shift
done
name=\$(basename "\$3" .py)
from=$repo/tests/captures/pairs/\${name//_/-}
echo "\$name \$4" >>"$work/ran"
case \$name.\$4 in
pageable_host_memory.*) cp "\$from.\$4.cadv" "\$to" ;;
allocation_in_hot_path.bad) cp "\$from.good.cadv" "\$to" ;;
allocation_in_hot_path.good) cp "\$from.bad.cadv" "\$to" ;;
gpu_idle_gaps.bad) cp "\$from.bad.cadv" "\$to" ;;
gpu_idle_gaps.good) exit 3 ;;
*) exit 77 ;;
esac
END
printf '#!/bin/sh\n' >"$fake/bin/gpu/launch_loop"
chmod +x "$fake/bin/cudadvise" "$fake/bin/gpu/launch_loop"

run() {
	"$repo/tests/gpu/frameworks.sh" "$fake" "$work/out" "$@" >"$work/said" 2>&1
}

# said PATTERN…: each pattern must match a line.
said() {
	local pattern
	for pattern in "$@"; do
		grep -qE "$pattern" "$work/said" ||
		    fail "nothing says '$pattern': $(<"$work/said")"
	done
}

run pageable-host-memory && [ -s "$work/out/table.txt" ] ||
    fail "a pair that is as it should: $(<"$work/said")"
said '^pageable_host_memory *\| its own *\| 1 *\| [0-9.]+ ms *\| .* \| -$' \
    '^1 of 1 pairs judged: own practice first on bad 1, good with nothing'
run --record allocation_in_hot_path gpu_idle_gaps jax_loop pageable_host_memory ||
    fail "recording: $(<"$work/said")"
[ "$(grep -c '^pageable' "$work/ran")" -eq 2 ] ||
    fail "what is recorded runs again: $(<"$work/ran")"
"$repo/tests/gpu/frameworks.sh" --judge "$work/out" "$build" >"$work/said" &&
    fail "faults are no failure"
said '^FAIL: allocation_in_hot_path: bad: allocation-in-hot-path is clean' \
    '^FAIL: allocation_in_hot_path: good: allocation-in-hot-path found' \
    '^gpu_idle_gaps *\| good: status 3' '^FAIL: gpu_idle_gaps: good: status 3' \
    '^jax_loop *\| bad: skipped; good: skipped' '^2 of 4 pairs judged'
rm -r "$work/out"
run jax_loop
[ $? -eq 77 ] || fail "nothing is judged, and it does not say so"
run --seconds 0
[ "$(wc -l <"$work/ran")" -eq 10 ] || fail "--seconds: $(<"$work/ran")"
# A run of 53,338 launches of 35 functions: the report must fit on a page, list
# each operator once, and show no kernel name that only its author would recognise.
report() {
	CUDADVISE_CONFIG=/dev/null "$build/bin/cudadvise" show \
	    "$repo/tests/captures/programs/$1.cadv" >"$work/report" ||
	    fail "no report of $1"
	grep -qE 'at::native|sm[0-9]+_|_kernel|void ' "$work/report" &&
	    fail "$1: names of kernels: $(<"$work/report")"
	sed -n '/^Where the kernels/,/^$/s/^  [0-9.]* %  *[0-9.]* [a-zµ]*s  *//p' \
	    "$work/report" >"$work/operators"
	[ "$(wc -l <"$work/operators")" -ge 5 ] &&
	    [ -z "$(sort "$work/operators" | uniq -d)" ] ||
	    fail "$1: operators: $(<"$work/operators")"
}
report train
report dataloader
# A finding about a library's product must name the operator, on the terminal
# and in the documents; only -v shows the kernel's name.
misaligned=$repo/tests/captures/pairs/library-misaligned.bad.cadv
"$build/bin/cudadvise" findings --format json "$misaligned" |
    jq -e '.items[0] | .where == "aten::mm" and (.location.kernel | test("Kernel2"))' \
    >/dev/null || fail "library-misaligned is at no operator"
"$build/bin/cudadvise" show "$misaligned" >"$work/report"
grep -q '^ 1  aten::mm ' "$work/report" && ! grep -q Kernel2 "$work/report" ||
    fail "not at the operator: $(<"$work/report")"
"$build/bin/cudadvise" show -v "$misaligned" | grep -q '^      kernel void cutlass::' ||
    fail "-v has no name of the kernel"
# Every report must fit into 40 lines of 80 columns, a terminal's screen.
for capture in "$repo"/tests/captures/{pairs,programs}/*.cadv; do
	lines=$(COLUMNS=80 CUDADVISE_CONFIG=/dev/null "$build/bin/cudadvise" show \
	    "$capture" </dev/null | wc -l)
	[ "$lines" -gt 0 ] && [ "$lines" -le 40 ] ||
	    fail "$(basename "$capture"): a report of $lines lines"
done
# Each program's practice must exist.
"$build/bin/cudadvise" rules --json | jq -r '.items[].id' >"$work/rules"
(cd "$repo/tests/gpu" && python3 - "$repo/kernels/frameworks" <<'END'
import glob, os, sys
import frameworks_table as ft
for path in glob.glob(sys.argv[1] + "/*.py"):
    name = os.path.basename(path)[:-3]
    if name != "pair":
        print(ft.practice_of(name))
END
) | grep -vxFf "$work/rules" && fail "programs about practices that nobody has"
exit $failed
