# A wire record that the model reads. (The fifth file would be the code that sends it.)
add() {
	row injection/wire/record.def \
	    'RECORD(EXAMPLE, 99, "an example", U64(count))'
	row injection/wire/PROTOCOL.md '
**EXAMPLE** (99): the process has seen `count` examples.'
	row daemon/model/feed.def 'MEASURED(EXAMPLE, about_example)'
	row daemon/model/about.c '
int
about_example(struct model *m, struct stream *s,
    const struct record_EXAMPLE *r)
{

	(void)s;
	m->run.launches += r->count;
	return 0;
}'
}

works() {
	local said
	program cudadvise injection/wire/record.c daemon/model/model.c \
	    daemon/model/about.c
	said=$("$scratch/bin/cudadvise" show \
	    tests/captures/pairs/tail-effect.bad.cadv 2>&1) || fail "$said"
	said=$("$repo/tests/lint/lint.sh" protocol "$PWD" "$scratch" 2>&1) ||
	    fail "$said"
	said=$(cc -fsyntax-only -std=c11 -Wall -Werror -D_GNU_SOURCE -I daemon \
	    -I injection -I tests tests/tools/dump.c tests/fuzz/fuzz_record.c \
	    2>&1) || fail "$said"
}
