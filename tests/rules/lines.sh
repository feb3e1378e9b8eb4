#!/usr/bin/env bash
#
# lines.sh [--require] CUDADVISE KERNELS FILE…: does the finding name the right
# line? For each FILE, PAIR.bad.cadv or its findings PAIR.bad.json, the first
# finding must be the pair's own, and the first line that it names must be one
# of those marked in the folder KERNELS:
#
#   HERE in a comment at the end of a line of PAIR's file: this line;
#   HERE PAIR in a file that several pairs include: this line, for this pair;
#   NOWHERE in PAIR's file: the finding must name no line at all.
#
# Instead of the line itself, the line that it was inlined into may be marked. A
# pair without marks is not checked. Captures that were recorded neither with
# --level source nor by cudadvise sanitize are skipped, or fail with --require.
# Exit status: 0; 1 if any is wrong; 77 if there was nothing to compare.

set -u
require=
[ "${1:-}" = --require ] && { require=1; shift; }
usage='usage: lines.sh [--require] CUDADVISE KERNELS FILE…'
cli=${1:?$usage}
kernels=${2:?$usage}
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Do not use the user's daemon, configuration or calibration.
export CUDADVISE_RUNTIME_DIR=$work/run CUDADVISE_STATE_DIR=$work/state
export CUDADVISE_CONFIG=$work/cudadvised.conf LC_ALL=C.UTF-8
: >"$CUDADVISE_CONFIG"
failed=0 compared=0 passed_over=

fail() {
	echo "FAIL: $pair: $*"
	failed=1
}

# marks PAIR: prints "file.cu:12" for each marked line.
marks() {
	local own=${1//-/_}.cu
	(cd "$kernels" && grep -nH '/\* HERE \*/$' "$own"
	    grep -nH "/\* HERE $1 \*/\$" -- *.cu *.h) | cut -d: -f1,2
}

# The first line that the first finding names, and the line that it was inlined into.
first_line='.items[0].hot_lines // [] | .[0] // {} |
    [.file, .line], [.called_file, .called_line] |
    select(.[0] != null and .[1] != null) |
    "\(.[0] | split("/") | last):\(.[1])"'
# The text of that line in the capture.
first_text='.items[0].hot_lines // [] | .[0].text // ""'

# compare FINDINGS
compare() {
	local rule got text
	rule=$(jq -r '.items[0].rule // "nothing"' "$1") ||
	    { fail "$1 cannot be read"; return; }
	compared=$((compared + 1))
	[ "$rule" = "$pair" ] || { fail "first is $rule"; return; }
	got=$(jq -r "$first_line" "$1")
	if [ -n "$nowhere" ]; then
		[ -z "$got" ] || fail "names the line $got, must name none"
		return
	fi
	if [ -z "$got" ]; then
		fail "names no line: $(jq -r \
		    '.items[0].location_missing // "not said why"' "$1")"
		return
	fi
	# The kernel may have been edited since it was recorded: the recorded
	# text has the mark.
	text=$(jq -r "$first_text" "$1")
	case $text in *"/* HERE */"|*"/* HERE $pair */") return ;; esac
	grep -qxF -f <(printf '%s\n' "$got") "$work/marks" ||
	    fail "is found at $(echo $got), must be at one of" \
	    "$(echo $(cat "$work/marks"))"
}

for file; do
	pair=$(basename "$file")
	pair=${pair%.*}
	[[ $pair == *.bad ]] || continue
	pair=${pair%.bad}
	own=$kernels/${pair//-/_}.cu
	# Frameworks' pairs have no .cu file.
	[ ! -f "$kernels/frameworks/${pair//-/_}.py" ] || [ -f "$own" ] || continue
	[ -f "$own" ] || { fail "no $own"; continue; }
	marks "$pair" >"$work/marks"
	nowhere=$(grep '/\* NOWHERE \*/$' "$own")
	[ -s "$work/marks" ] || [ -n "$nowhere" ] || continue
	case $file in
	*.json)
		compare "$file" ;;
	*)
		level=$("$cli" show --format json "$file" |
		    jq -r 'if (.run.checks // []) == [] then .run.level
		    else "source" end') || { fail "not readable"; continue; }
		if [ "$level" != source ]; then
			passed_over+=" $pair"
			[ -z "$require" ] || fail "recorded at level $level"
			continue
		fi
		"$cli" findings --all --format json "$file" \
		    >"$work/findings.json" ||
		    { fail "cannot be judged"; continue; }
		compare "$work/findings.json" ;;
	esac
done
[ -z "$passed_over" ] || echo "not recorded by line:$passed_over"
echo "$compared compared"
[ $failed -eq 0 ] || exit 1
[ $compared -gt 0 ] || exit 77
