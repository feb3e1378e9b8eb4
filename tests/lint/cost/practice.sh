# A practice: a copy of tail-effect with another name.
from=tail-effect
id=example-practice

add() {
	local rules=daemon/rules/engine/rules.def
	row $rules "$(sed -n '/^RULE(tail_effect,/,/})$/p' $rules |
	    renamed $from $id)"
	renamed $from $id <daemon/rules/practice/tail_effect.c \
	    >daemon/rules/practice/example_practice.c
	change config/practices.json jq --arg from $from --arg id $id \
	    '.rules += [.rules[] | select(.id == $from) | .id = $id]'
	renamed $from $id <kernels/tail_effect.cu >kernels/example_practice.cu
}

# What a GPU would record: captures of both variants.
record() {
	local variant
	for variant in bad good; do
		cp tests/captures/pairs/$from.$variant.cadv \
		    tests/captures/pairs/$id.$variant.cadv
	done
}

works() {
	local said test
	record
	local read_the_row="daemon/rules/practice/example_practice.c
	    daemon/rules/engine/table.c daemon/rules/engine/catalogue.c"
	program cudadvise $read_the_row
	said=$("$repo/tests/lint/lint.sh" rules "$PWD" "$scratch" 2>&1) ||
	    fail "$said"
	said=$("$scratch/bin/cudadvise" checklist \
	    tests/captures/pairs/$id.bad.cadv) || fail "$said"
	[[ $said == *"$id: "* ]] || fail "no line of the checklist names it"
	for test in unit-rank unit-checklist; do
		[ -x "$build/bin/$test" ] || continue	# no cmocka
		program $test $read_the_row
		said=$("$scratch/bin/$test" 2>&1) || fail "$said"
	done
	kernels_list_it
}

# The compiler's list of pairs must have the pair, and its file must define it.
# (nvcc is not needed: this checks the preprocessor's output.)
kernels_list_it() {
	local said
	said=$(cc -E -P -x c++ -I daemon -I kernels - 2>&1 <<-END
		#define RULE(function, id, ...) { id, &pair_##function },
		#include "rules/engine/rules.def"
	END
	)
	[[ $said == *'{ "example-practice", &pair_example_practice },'* ]] ||
	    fail "cudadvise-kernels --list would not have it: $said"
	grep -q '^PAIR(example_practice,' kernels/example_practice.cu ||
	    fail "kernels/example_practice.cu defines no PAIR"
}
