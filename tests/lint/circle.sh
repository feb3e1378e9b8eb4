#!/usr/bin/env bash
#
# circle.sh REPOSITORY: does `lint.sh circles` report a circle? Builds three
# files that call each other, in which the third calls the first or nothing.

set -u
repo=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir"/{daemon,injection,build/daemon/CMakeFiles/x.dir,build/injection/CMakeFiles/x.dir}
failed=0

# built PART FILE CODE: compile CODE, and list it as CMake does.
built() {
	local object=$1/CMakeFiles/x.dir/$2.o
	(cd "$dir/build" && cc -x c -c -o "$object" - <<<"$3" &&
	    echo "\"command\": \"cc -o $object -c $2\"," >>compile_commands.json)
}

# planted PART: the circle in PART must be found; without it there must be none.
planted() {
	local part said
	: >"$dir/build/compile_commands.json"
	for part in daemon injection; do
		built $part a.c "int b(void); int a(void) { return b(); }"
		built $part b.c "extern int c; int b(void) { return c; }"
		built $part c.c "int c;"
	done
	said=$("$repo/tests/lint/lint.sh" circles "$dir" "$dir/build" 2>&1) ||
	    { echo "FAIL: no circle: $said"; failed=1; }
	built "$1" c.c "int a(void); int (*c)(void) = a;"
	said=$("$repo/tests/lint/lint.sh" circles "$dir" "$dir/build" 2>&1) &&
	    { echo "FAIL: a circle in $1 was not found"; failed=1; }
	[[ $said == *"$1/a.c"* ]] || { echo "FAIL: it said: $said"; failed=1; }
}

planted daemon
planted injection
exit $failed
