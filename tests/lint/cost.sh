#!/usr/bin/env bash
#
# cost.sh REPOSITORY BUILD [KIND…]: how many files one more practice, metric …
# touches. Adds an example of each KIND (default: all kinds) to a copy of the
# tree by the recipe of daemon/rules/README.md, checks that the example works
# there, and fails if the recipe touched more files than the table below allows.
# Exit status 77 if BUILD has no ninja or no programs, or if jq is missing; also
# if nothing failed, but a program that an example needs is not built.
#
# A kind is a row of the table and a file cost/<kind>.sh with two functions. Both
# run in the copy, in a shell of their own, and may use the functions of this file:
#   add      applies the recipe: each file that it writes or changes is counted
#   works    says (fail …) what the example still lacks
# Files that are recorded on a GPU or written by a command are not counted: add
# them in `works`.

set -u
repo=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2

# Kind, and the number of files that one more of it touches.
table='
practice 4
chip 1
metric 2
route 4
exporter 2
record 4
'

for file in bin/cudadvise lib/libcudadvise_core.a build.ninja; do
	[ -e "$build/$file" ] || exit 77
done
command -v jq >/dev/null && command -v ninja >/dev/null || exit 77

# --- for cost/<kind>.sh ----------------------------------------------------------

fail() {
	echo "FAIL: $kind: $*"
	exit 1
}

# row FILE TEXT: append TEXT to a table, before the last lines, which undefine
# its macros.
row() {
	[ -f "$1" ] || fail "$1 is not there"
	if [[ $1 == *.def ]]; then
		{ grep -v '^#undef ' "$1"; printf '%s\n' "$2"; grep '^#undef ' "$1"; } \
		    >"$scratch/changed"
		cp "$scratch/changed" "$1"
	else
		printf '%s\n' "$2" >>"$1"
	fi
}

# change FILE COMMAND…: filter FILE through COMMAND.
change() {
	local file=$1
	shift
	"$@" <"$file" >"$scratch/changed" || fail "cannot change $file"
	cmp -s "$file" "$scratch/changed" && fail "$file has no place for it"
	cp "$scratch/changed" "$file"
}

# within FILE HEADING LINE: put LINE under a heading in brackets.
within() {
	change "$1" awk -v heading="[$2]" -v line="$3" \
	    '{ print } $0 == heading { print line }'
}

# renamed FROM TO: a filter that replaces an id, with dashes and with underscores.
renamed() {
	sed "s/$1/$2/g; s/${1//-/_}/${2//-/_}/g"
}

# program NAME SOURCE…: link $scratch/bin/NAME like BUILD's program of that name,
# with the copy's SOURCEs in place of those in BUILD's libraries. Name the sources
# that the example adds, and those that read a table or file that it changes.
program() {
	local name=$1 commands=$scratch/build/compile_commands.json
	local source object link objects=()
	shift
	if [ ! -x "$build/bin/$name" ]; then
		echo "$kind: passed over, since $build/bin/$name is not built"
		exit 77
	fi
	[ -e "$scratch/configured" ] || cmake -S . -B "$scratch/build" -G Ninja \
	    -DCUDADVISE_CUDA=OFF -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Debug \
	    -DCMAKE_C_FLAGS_DEBUG=-O0 -DCUDADVISE_WERROR=ON \
	    >"$scratch/said" 2>&1 || fail "$(tail -n 20 "$scratch/said")"
	touch "$scratch/configured"
	for source in "$@"; do
		object=$(jq -r --arg file "$PWD/$source" '.[] |
		    select(.file == $file).command |
		    capture(" -o (?<object>[^ ]+)").object' "$commands")
		[ -n "$object" ] || fail "CMake does not compile $source"
		objects+=("$object")
	done
	ninja -C "$scratch/build" "${objects[@]}" >"$scratch/said" 2>&1 ||
	    fail "$(tail -n 20 "$scratch/said")"
	link=$(ninja -C "$build" -t commands "bin/$name" | tail -n 1)
	mkdir -p "$scratch/bin"
	objects=("${objects[@]/#/"$scratch/build/"}")
	(cd "$build" && eval "${link/-o bin\/$name/"${objects[*]}" \
	    -o "$scratch/bin/$name"}") || fail "bin/$name does not link"
}

# --- one kind ----------------------------------------------------------------------

# All kinds share one copy of the tree and one build: what a kind changed is
# undone before the next begins.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree" && cd "$repo" &&
    git ls-files -z -co --exclude-standard |
    xargs -0 cp -a --parents -t "$scratch/tree" || exit 1

# changed: the files that are newer than the start of this kind.
changed() {
	find . -type f -newer "$scratch/before" | sed 's|^\./||' | sort
}

restore() {
	local file
	while read -r file; do
		if [ -e "$repo/$file" ]; then
			# Newer than what was built of the example, so that it
			# is built again.
			cp "$repo/$file" "$file"
		else
			rm "$file"
		fi
	done < <(changed)
}

# try KIND MOST: 0 if the example works and touched at most MOST files.
try() {
	kind=$1
	. "$repo/tests/lint/cost/$kind.sh"
	rm -f "$scratch/configured"
	sleep 0.1	# a kernel tick: what is touched before it is older
	touch "$scratch/before"
	sleep 0.1	# and what follows is newer
	add
	changed >"$scratch/touched"
	works
	echo "$kind: $(wc -l <"$scratch/touched") files, $2 allowed:"
	sed 's/^/  /' "$scratch/touched"
	[ "$(wc -l <"$scratch/touched")" -le "$2" ] ||
	    fail "one more touches more files than that"
}

failed=0
passed_over=
while read -r kind most; do
	[ -n "$kind" ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $kind "* ]] || continue
	(cd "$scratch/tree" && try "$kind" "$most")
	case $? in
	0) ;;
	77) passed_over=y ;;
	*) failed=1 ;;
	esac
	(cd "$scratch/tree" && restore)
done <<<"$table"
[ $failed -ne 0 ] || [ -z "$passed_over" ] || exit 77
exit $failed
