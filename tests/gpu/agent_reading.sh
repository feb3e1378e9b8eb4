#!/bin/bash
# agent_reading.sh BUILD OUT PROGRAMS: records what a coding agent would read about
# the programs of agent_reading.tsv (PROGRAMS/ID): OUT/ID.details.txt, ncu's text;
# OUT/ID.cadv and ID.source.cadv, our recordings. Continues where it was interrupted;
# takes about 10 s a program, most of it for ncu. Then `agent_reading.sh --judge BUILD
# OUT`, on any machine, writes our pages and prints the table (agent_reading.mjs).
set -u
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = --judge ]; then
	for c in "$3"/*.cadv; do
		name=${c%.cadv}
		[ "${name%.source}" = "$name" ] && name=$name.agent
		"$2/bin/cudadvise" show --format agent "$c" >"$name.txt" || exit 1
	done
	exec node "$here/agent_reading.mjs" "$3"
fi

build=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) && cd "$3" || exit 2
tmp=$(mktemp -d /tmp/agent.XXXXXX) || exit 2
trap 'rm -rf "$tmp"' EXIT
export CUDADVISE_RUNTIME_DIR=$tmp CUDADVISE_STATE_DIR=$tmp/s
export CUDADVISE_CONFIG=$tmp/c CUDADVISE_DATA_DIR=${CUDADVISE_DATA_DIR:-$here/../../config}
: >"$tmp/c"
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu \
    /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | head -n 1)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/gpu.txt"

# record ID LEVEL FILE ARGUMENTS
record() {
	local id=$1 level=$2 file=$3
	shift 3
	[ -s "$out/$file" ] || timeout 60 "$build/bin/cudadvise" run -q --no-daemon \
	    --level "$level" -o "$out/$file" -- "./$id" "$@" </dev/null \
	    >/dev/null 2>"$out/$file.err" || echo "$id at $level: status $?"
}

# details ID ARGUMENTS: ncu's details of the first launch of each kernel.
details() {
	local id=$1 start=$EPOCHSECONDS
	shift
	[ ! -s "$out/$id.details.txt" ] && [ -x "$ncu" ] || return
	timeout 90 "$ncu" --set full --clock-control none --kernel-id :::1 -f \
	    -o "$tmp/$id" "./$id" "$@" </dev/null >"$tmp/log" 2>&1 ||
	    echo "$id under ncu: status $?, $(tail -n 1 "$tmp/log" | cut -c 1-200)"
	[ -s "$tmp/$id.ncu-rep" ] && "$ncu" --import "$tmp/$id.ncu-rep" \
	    --page details >"$out/$id.details.txt" && rm "$tmp/$id.ncu-rep"
	echo "$id under ncu: $((EPOCHSECONDS - start)) s"
}

while IFS=$'\t' read -r id arguments _; do
	case $id in '#'* | '') continue ;; esac
	[ -x "./$id" ] || { echo "$id: not there"; continue; }
	[ "$arguments" = - ] && arguments=
	# shellcheck disable=SC2086
	record "$id" auto "$id.cadv" $arguments
	# shellcheck disable=SC2086
	record "$id" source "$id.source.cadv" $arguments
done <"$here/agent_reading.tsv"
while IFS=$'\t' read -r id arguments _; do
	case $id in '#'* | '') continue ;; esac
	[ "$arguments" = - ] && arguments=
	# shellcheck disable=SC2086
	[ -x "./$id" ] && details "$id" $arguments
done <"$here/agent_reading.tsv"
ls -l "$out"
