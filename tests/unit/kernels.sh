#!/bin/bash
# kernels.sh PROGRAM: tests what cudadvise-kernels does without a GPU.
set -u
program=$1
failed=0

# expect STATUS PATTERN ARGUMENTS…: exit status, and a pattern in the output.
expect() {
	local status=$1 pattern=$2 out got
	shift 2
	out=$("$program" "$@" 2>&1)
	got=$?
	if [ "$got" != "$status" ] || ! grep -q -- "$pattern" <<<"$out"; then
		echo "FAIL: cudadvise-kernels $*: status $got (must be $status)," \
		    "output must match '$pattern':"
		echo "$out"
		failed=1
	fi
}

expect 0 '^Usage: cudadvise-kernels' --help
expect 0 '^cudadvise-kernels [0-9]' --version
expect 0 '^uncoalesced-global-access ' --list
expect 0 '"rule": "tail-effect"' --list --format json
expect 2 'which kernel' --variant bad
expect 2 "no such kernel.*'nonesuch'" nonesuch --variant bad
expect 2 "no such variant.*'ugly'" tail-effect --variant ugly
expect 2 'which one' tail-effect
expect 2 "no such format.*'xml'" --list --format xml
expect 2 'more than one thing' --list --calibrate
expect 2 'more than one thing' tail-effect idle-lanes --variant bad
expect 2 "not a number from 1.*'0'" tail-effect --variant bad --repeat 0
expect 2 "not a number from 1.*'-1'" tail-effect --variant bad --size -1
expect 2 "not a number from 1.*'9999999999'" tail-effect --variant bad \
    --size 9999999999
expect 2 "not a whole number.*'x'" tail-effect --variant bad --seed x
expect 2 'nonesuch' --nonesuch

expect 0 '^array-of-structures ' --list
expect 0 '^debug-build ' --list

# Without a GPU that the driver shows, or without a driver: status 3 and the cause.
export CUDA_VISIBLE_DEVICES=-1
expect 3 'no usable GPU: ' tail-effect --variant bad
expect 3 'no usable GPU: ' --calibrate

# Both formats must list the same pairs, all different.
text=$("$program" --list | cut -d' ' -f1)
json=$("$program" --list --format json |
    sed -n 's/.*{"name": "\([^"]*\)".*/\1/p')
[ -n "$text" ] && [ "$text" = "$json" ] || {
	echo "FAIL: --list differs between text and JSON"; failed=1; }
[ -z "$(sort <<<"$text" | uniq -d)" ] || {
	echo "FAIL: a pair is listed twice"; failed=1; }

# Each pair's file must say how to run it, and its marks must be at the end of a
# line of code, where they are looked for.
sources=$(cd "$(dirname "$0")/../../kernels" && pwd)
for pair in $text; do
	grep -q -e "cudadvise-kernels $pair" "$sources/${pair//-/_}.cu" || {
		echo "FAIL: $pair: its file does not say how to run it"
		failed=1; }
done
stray=$(grep -nE '/\* *(HERE|NOWHERE)' "$sources"/*.cu "$sources"/*.h |
    grep -vE '[^[:space:]:] /\* (HERE( [a-z-]+)?|NOWHERE) \*/$')
[ -z "$stray" ] || { echo "FAIL: marks that nobody finds: $stray"; failed=1; }
exit $failed
