# A practice: tail-effect once more, under another name.
from=tail-effect
id=example-practice

add() {
	local rules=daemon/rules/engine/rules.def
	row $rules "$(sed -n '/^RULE(tail_effect,/,/})$/p' $rules |
	    renamed $from $id)"
	renamed $from $id <daemon/rules/practice/tail_effect.c \
	    >daemon/rules/practice/example_practice.c
	change config/practices.json jq --arg from $from --arg id $id '.rules +=
	    [.rules[] | select(.id == $from) | .id = $id | .pair = $id]'
	renamed $from $id <kernels/tail_effect.cu >kernels/example_practice.cu
	row kernels/kernels.def "$(sed -n '/^PAIR(tail_effect,/,/)$/p' \
	    kernels/kernels.def | renamed $from $id)"
	change daemon/report/checklist.def sed "s/\"$from\"/&, \"$id\"/"
	change tests/rules/expected.json jq --arg id $id \
	    '.pairs[$id] = {bad: {also: []}, good: {allowed: []}}'
	renamed $from $id <tests/unit/rules.c >tests/unit/rules_example.c
}

works() {
	local variant said
	for variant in bad good; do
		cp tests/captures/pairs/$from.$variant.cadv \
		    tests/captures/pairs/$id.$variant.cadv
	done
	program cudadvise daemon/rules/practice/example_practice.c \
	    daemon/rules/engine/rule.c daemon/rules/engine/catalogue.c \
	    daemon/report/checklist.c
	said=$("$repo/tests/lint/lint.sh" rules "$PWD" "$scratch" 2>&1) ||
	    fail "$said"
	said=$("$scratch/bin/cudadvise" findings --all \
	    tests/captures/pairs/$id.bad.cadv) || fail "$said"
	[[ $said == *$id* ]] || fail "does not find its bad variant"
}
