#include <stdlib.h>

#include "unit/advise.h"

static struct advice **kept;	/* advice of the running test */
static size_t count;

void
made_run_test(builder *test)
{
	struct made m;

	made_init(&m);
	test(&m);
	code_release(&m);
	while (count > 0)
		advice_free(kept[--count]);
	free(kept);
	kept = NULL;
}

void
made_again(struct made *m)
{
	code_release(m);
	made_init(m);
}

struct advice *
made_advised(const struct made *m)
{
	struct advice *a = made_advice(m);
	struct advice **more = realloc(kept, (count + 1) * sizeof(*kept));

	if (a == NULL || more == NULL)
		fail_msg("no memory");
	kept = more;
	kept[count++] = a;
	return a;
}

struct advice *
advised(builder *build, struct made *m)
{
	struct advice *a;

	made_again(m);
	build(m);
	a = made_advised(m);
	assert_non_null(a);
	return a;
}

const struct finding *
found_at(const struct advice *a, const char *rule, const char *file, int line)
{
	const struct finding *f = made_finding(a, rule);

	_assert_true(f != NULL, rule, file, line);
	return f;
}

struct advice *
advise(builder *build, struct made *m)
{
	struct advice *a;

	made_init(m);
	build(m);
	a = made_advice(m);
	assert_non_null(a);
	return a;
}

void
finish(struct advice *a, struct made *m)
{
	advice_free(a);
	code_release(m);
}
