#!/usr/bin/env bash
#
# broken.sh REPOSITORY BUILD: does `lint.sh rules` report what is missing? Makes
# a copy of the files that it reads, breaks one thing at a time, and checks that
# the lint fails and names that. Exit status 77 without jq or the command.

set -u
repo=$1
build=$2
[ -x "$build/bin/cudadvise" ] && command -v jq >/dev/null || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
id=tail-effect
failed=0

# fresh: make a new copy. Files of which the lint reads only the name are empty.
# The command prints the catalogue in rules.json, with the smallest number of
# practices that the lint accepts, this rule among them.
fresh() {
	local f
	rm -rf "$dir/repo" "$dir/build"
	mkdir -p "$dir/repo/kernels/frameworks" \
	    "$dir/repo/tests/captures/pairs" "$dir/repo/daemon/rules" \
	    "$dir/repo/tests/rules" "$dir/repo/tests/unit" "$dir/build/bin"
	for f in "$repo"/kernels/*.cu "$repo"/kernels/frameworks/*.py \
	    "$repo"/tests/captures/pairs/*.cadv; do
		echo x >"$dir/repo/${f#"$repo"/}"
	done
	cp "$repo/tests/rules/expected.json" "$dir/repo/tests/rules/"
	cp "$repo"/tests/unit/rules*.c "$dir/repo/tests/unit/"
	cp -r "$repo/daemon/rules/practice" "$repo/daemon/rules/evidence" \
	    "$dir/repo/daemon/rules/"
	cp "$dir/rules.json" "$dir/build/rules.json"
	jq -r '.items[].id' "$dir/build/rules.json" >"$dir/build/pairs"
	cp "$dir/explained" "$dir/build/"
	# All other rules have the same explanation, because that is faster.
	cat >"$dir/build/bin/cudadvise" <<-END
		#!/bin/sh
		[ "\$1" = rules ] && exec cat "$dir/build/rules.json"
		[ ! -e "$dir/build/mute" ] || [ "\$2" != $id ] || exit 0
		exec cat "$dir/build/explained"
	END
	printf '#!/bin/sh\ncat "%s/build/pairs"\n' "$dir" \
	    >"$dir/build/bin/cudadvise-kernels"
	chmod +x "$dir"/build/bin/*
}

lint() {
	"$repo/tests/lint/lint.sh" rules "$dir/repo" "$dir/build" 2>&1
}

# rules FILTER: change the catalogue's entry of the rule.
rules() {
	jq --arg id $id "(.items[] | select(.id == \$id)) |= ($1)" \
	    "$dir/build/rules.json" >"$dir/new" &&
	    mv "$dir/new" "$dir/build/rules.json"
}

pairs() {
	jq "$1" "$dir/repo/tests/rules/expected.json" >"$dir/new" &&
	    mv "$dir/new" "$dir/repo/tests/rules/expected.json"
}

# broken WORDS: the lint must fail, and complain only about WORDS of this rule.
broken() {
	local said
	said=$(lint)
	if [ $? -ne 1 ] || [[ $said != "$id: "*"$1"* ]] ||
	    [ "$(echo "$said" | wc -l)" -ne 1 ]; then
		echo "FAIL: '$1' expected, the lint said: ${said:-nothing}"
		failed=1
	fi
}

"$build/bin/cudadvise" rules --json | jq --arg id $id --argjson least 21 '
    (.items | map(.id) | index($id)) as $at |
    .items |= [.[$at]] + (.[:$at] + .[$at + 1:])[:$least - 1]' >"$dir/rules.json"
"$build/bin/cudadvise" explain $id >"$dir/explained"
fresh
said=$(lint) || { echo "FAIL: the whole copy: $said"; exit 1; }

for part in title why detects advice next sources; do
	fresh; rules ".$part = \"\""; broken "documentation is empty"
done
for part in bad good; do
	fresh; rules ".example.$part = null"; broken "documentation is empty"
done
fresh; touch "$dir/build/mute"; broken "explanation has no content"
fresh; rules '.thresholds = []'; broken "no threshold"
fresh; echo 'rule_value(x, "most")' >>"$dir/repo/daemon/rules/practice/tail_effect.c"
broken "asks for the threshold most, which its row in rules.def lacks"
fresh; rules '.thresholds += [.thresholds[0] + { key: "other_waves" }]'
broken "nothing asks for its threshold other_waves"
fresh; rules '.category = "lunch"'; broken "its category lunch is none of launch"
for origin in '' default default: 'default: any' 'default: 10 points' \
    'arithmetic: yes' 'default: a good value in our long experience'; do
	fresh; rules ".thresholds[0].origin = \"$origin\""
	broken "origin of max_waves names no source"
done
fresh; rules '.thresholds[0].origin = null'; broken "names no source"
fresh; rm "$dir/repo/kernels/tail_effect.cu"; broken "no kernels/tail_effect.cu"
fresh; sed -i "/^$id\$/d" "$dir/build/pairs"; broken "--list"
for variant in bad good; do
	fresh; rm "$dir/repo/tests/captures/pairs/$id.$variant.cadv"
	broken "no capture of its $variant variant"
	fresh; : >"$dir/repo/tests/captures/pairs/$id.$variant.cadv"
	broken "no capture of its $variant variant"
done
# A pair that is not recorded yet needs no captures, but a row in the unit tests.
unrecorded() {
	fresh; pairs ".pairs[\"$id\"].recorded = false"
	rm "$dir/repo/tests/captures/pairs/$id".*.cadv
}
unrecorded
said=$(lint) || { echo "FAIL: an unrecorded pair: $said"; failed=1; }
unrecorded; sed -i "s/\"$id\", fault/\"other\", fault/" "$dir"/repo/tests/unit/*.c
broken "has no row"
# A row without its last column, the case without data.
unrecorded; tr -s '[:space:]' ' ' <"$repo/tests/unit/rules.c" |
    sed -E "s/(\"$id\", [a-z_]+, \{[^}]*\}), [a-z_]+ \}/\1, NULL }/" \
    >"$dir/repo/tests/unit/rules.c"
broken "has no row"
exit $failed
