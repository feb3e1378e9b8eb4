#!/bin/bash
# trust.sh BUILD OUT LIST PROGRAMS [--only ID,…] [--skip-ncu] [--again] [--replay]
#          [--level LEVEL] [--record] [--limit SECONDS] [--ncu-limit SECONDS]
#          [--seconds SECONDS]
# trust.sh --judge DIR LIST [BUILD]
#
# Is the advice right for programs with a known bottleneck? LIST is a tab-separated
# list of cases (trust_case.py has its columns), PROGRAMS a folder with an executable
# for each, named by the case's id; they run in that folder. Each runs once under
# `cudadvise run`, at its default level or at --level LEVEL, and once under ncu for the
# kernels that the list names, one after another, for at most --limit (60) and
# --ncu-limit (90) seconds. OUT gets ID.cadv, ID.json, ID.kernels.json, ID.ncu.csv, the
# program's output, and a line in measured.tsv as soon as a program is done. Called
# again, it continues after the last one (--again: from the beginning). After --seconds
# no further program is started. --replay lets cudadvise replay kernels; --record
# records without judging. --judge judges the recordings in DIR, which needs no GPU.
set -u
usage() {
	sed -n '2,5s/^# //p' "$0" >&2
	exit 2
}

[ $# -ge 3 ] || usage
trust=$(cd "$(dirname "$0")" && pwd)/trust.py
if [ "$1" = --judge ]; then
	dir=$2 list=$3
	cli=${4:+$4/bin/cudadvise}
	exec python3 "$trust" judge ${cli:+--cli "$cli"} "$list" "$dir"
fi
[ $# -ge 4 ] || usage
BUILD=$(cd "$1" && pwd) && mkdir -p "$2" && OUT=$(cd "$2" && pwd) || exit 1
list=$(realpath "$3") && folder=$(cd "$4" && pwd) || exit 1
shift 4
only= ncu=1 again= replay= record= level= limit=60 ncu_limit=90 seconds=1000000
while [ $# -gt 0 ]; do
	case $1 in
	--skip-ncu) ncu= ;;
	--again) again=1 ;;
	--replay) replay=--replay ;;
	--record) record=1 ;;
	--only | --level | --limit | --ncu-limit | --seconds)
		[ $# -ge 2 ] || usage
		name=${1#--}
		declare "${name//-/_}=$2"
		shift ;;
	*) usage ;;
	esac
	shift
done
. "$(dirname "$0")/common.sh"
prepare
if [ -n "$ncu" ]; then
	ncu=$(find_ncu) || echo "ncu was not found: without it"
fi
table=$OUT/measured.tsv
[ -z "$again" ] || rm -f "$table"
touch "$table"

# status RC: print the exit status as a word.
status() {
	case $1 in
	0) echo ok ;;
	124 | 137) echo "timeout" ;;
	*) echo "exit $1" ;;
	esac
}

# measure ID ARGS ENV: run the program under cudadvise; print its status as a word.
measure() {
	local to=$OUT/$1 rc args env
	read -ra args <<<"$2"
	read -ra env <<<"$3"
	rm -f "$to".*
	(cd "$folder" && timeout -k 5 "$limit" env "${env[@]}" "$cudadvise" \
	    run --no-daemon --quiet ${level:+--level "$level"} $replay \
	    -o "$to.cadv" -- "./$1" "${args[@]}") >"$to.out" 2>"$to.err" </dev/null
	rc=$?
	if [ -z "$record" ]; then
		"$cudadvise" findings --all --format json "$to.cadv" \
		    >"$to.json" 2>>"$to.err" && "$cudadvise" kernels -n 1000 \
		    --format json "$to.cadv" >"$to.kernels.json" \
		    2>>"$to.err" || rc=${rc/#0/1}
	fi
	status "$rc"
}

# ask_ncu ID ARGS ENV COUNT REGEX: run the first launches of the kernels under ncu.
ask_ncu() {
	local to=$OUT/$1 args env names=()
	read -ra args <<<"$2"
	read -ra env <<<"$3"
	[ -z "$5" ] || names=(--kernel-name-base demangled
	    --kernel-name "regex:$5")
	(cd "$folder" && timeout -k 5 "$ncu_limit" env "${env[@]}" "$ncu" \
	    --set full --csv --page details "${names[@]}" \
	    --launch-count "$4" --log-file "$to.ncu.csv" "./$1" \
	    "${args[@]}") >"$to.ncu.out" 2>&1 </dev/null
	status $?
}

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
while IFS=$'\037' read -r id args env needed count names; do
	cut -f1,2 "$table" | grep -q -x "$id"$'\tok' && continue
	if [ "$SECONDS" -ge "$seconds" ]; then
		echo "the time is over, $id and what follows it not started"
		break
	fi
	begin=$SECONDS said=- asked=-
	if [ ! -x "$folder/$id" ]; then
		said="no program"
	elif [ "$needed" -gt 1 ] && [ "$needed" -gt "$gpus" ]; then
		said="needs $needed GPUs"
	else
		said=$(measure "$id" "$args" "$env")
		middle=$SECONDS
		[ -z "$ncu" ] || asked=$(ask_ncu "$id" "$args" "$env" \
		    "$count" "$names")
		asked+=$'\t'$((SECONDS - middle))
	fi
	printf '%s\t%s\t%s\t%s\n' "$id" "$said" $((SECONDS - begin)) \
	    "$asked" >>"$table"
	echo "$id: $said, $((SECONDS - begin)) s${ncu:+; ncu: ${asked%%$'\t'*}}"
done < <(python3 "$trust" plan --only "$only" "$list")
[ -z "$record" ] || exit 0
python3 "$trust" judge --cli "$cudadvise" --only "$only" "$list" "$OUT" |
    tee "$OUT/trust.txt"
exit "${PIPESTATUS[0]}"
