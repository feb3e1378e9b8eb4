#!/bin/sh
# run.sh FILE [OPTION]…: run a Node test (or script). Without Node or its packages
# the exit status is 77, which CTest counts as skipped; CUDADVISE_NEED_NODE=1
# makes that a failure, so that a machine that must run them cannot skip them.
web=$(dirname "$0")/../../web
missing() {
	echo "skipped: $1" >&2
	[ -z "$CUDADVISE_NEED_NODE" ] && exit 77
	exit 1
}
command -v node >/dev/null || missing "no node"
for package in $(sed -n 's/^    "\([^"]*\)": "[0-9].*/\1/p' "$web/package.json"); do
	[ -d "$web/node_modules/$package" ] ||
		missing "no package $package: run 'npm ci --ignore-scripts' in web/"
done
case $1 in
*.test.mjs) exec node --test "$@" ;;
*) exec node "$@" ;;
esac
