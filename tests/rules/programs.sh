#!/usr/bin/env bash
#
# programs.sh CUDADVISE DIR: replays the captures of programs that people write.
# Of each DIR/*.cadv prints what the run was and what is worth a change, best
# first, without the numbers that a better model may change, and compares that
# with DIR/expected.txt. UPDATE_GOLDEN=1 writes that file anew.

set -u
cli=${1:?usage: programs.sh CUDADVISE DIR}
dir=${2:?usage: programs.sh CUDADVISE DIR}
expected=$dir/expected.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Do not use the user's daemon, configuration or calibration.
export CUDADVISE_RUNTIME_DIR=$work/run CUDADVISE_STATE_DIR=$work/state
export CUDADVISE_CONFIG=$work/cudadvised.conf LC_ALL=C.UTF-8
: >"$CUDADVISE_CONFIG"

# list CAPTURE: one line for the run, and one for each finding worth a change.
list() {
	"$cli" show --format json "$1" >"$work/show" &&
	    "$cli" findings --format json "$1" >"$work/findings" || return 1
	jq -e -r --arg name "$(basename "$1" .cadv)" '.run |
	    "\($name): \(.state), \(.launches) launches, " +
	    "\(.kernels) kernels, \(.data.lost) lost"' "$work/show" &&
	    jq -r '.items[] | select(.worth_it) | "    \(.rule) \(.where)"' \
	    "$work/findings"
}

shopt -s nullglob
captures=("$dir"/*.cadv)
[ ${#captures[@]} -gt 0 ] || { echo "no captures in $dir"; exit 1; }
for capture in "${captures[@]}"; do
	list "$capture" >>"$work/got" ||
	    { echo "$capture cannot be judged"; exit 1; }
done

if [ -n "${UPDATE_GOLDEN:-}" ]; then
	cp "$work/got" "$expected"
	exit
fi
diff -u "$expected" "$work/got" || {
	echo "If the new advice is better: UPDATE_GOLDEN=1 $0 $*"
	exit 1
}
echo "${#captures[@]} programs judged as expected"
