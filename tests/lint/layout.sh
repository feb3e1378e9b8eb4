#!/usr/bin/env bash
#
# layout.sh REPOSITORY: does format.py report code that is not written as
# .clang-format says, and mend it? Starts from a correct file and changes one
# place at a time. Exit status 77 without clang-format.

set -u
repo=$1
command -v clang-format >/dev/null || exit 77
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cp "$repo/.clang-format" .
bad=0

cat >good.c <<'END'
struct place {
	const char *file;	/* borrowed */
	unsigned line;		/* from 1 */
};

static const struct place places[] = {
	{ "a.c", 1 }, { "b.c",
	  2 },
};

/* The first place of ${file} that is
 *   not before ${line}. */
static const struct place *
find(const char *file, unsigned line)
{
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(places[i].file, file) == 0 &&
		    places[i].line >= (unsigned)line)
			return &places[i];
		else
			continue;
	}
	return log_missing(file, places[0].file == NULL ?
	    0 : line);
}
END

# planted KIND SED [STAYS]: format.py must report KIND once for the file as
# changed by SED, and --mend must restore the file, except if STAYS is given.
planted() {
	sed -z "$2" good.c >bad.c
	cmp -s good.c bad.c && echo "nothing was changed by $2" && bad=1
	"$repo/tests/lint/format.py" bad.c >said
	if [ $? -ne 1 ] || ! grep -q "^bad\.c:[0-9]*: $1: " said; then
		echo "not seen as $1: $2"
		cat said
		bad=1
	fi
	[ $# -eq 3 ] && return
	"$repo/tests/lint/format.py" --mend bad.c >/dev/null
	diff good.c bad.c || bad=1
}

"$repo/tests/lint/format.py" good.c || bad=1
planted inline 's/for (/for(/'
planted inline 's/i < 2/i<2/'
planted inline 's/strcmp(/strcmp (/'
planted inline 's/\*file, uns/* file, uns/'
planted inline 's/(unsigned)line/(unsigned) line/'
planted inline 's/{ "a/{"a/'
planted indent 's/\n\t\t\tcontinue/\n\t\tcontinue/'
planted indent 's/\n\treturn/\n        return/'
planted blank 's/\n\n/\n\n\n/'
planted break 's/\n{/ {/'
planted break 's/++) {/++)\n\t{/'
planted break 's/else\n\t\t\t/else /'
planted break 's/place \*\nfind/place *find/'
planted columns 's/    places\[i\]/\t places[i]/' stays
planted columns 's/    0 : line/                    0 : line/' stays
exit $bad
