#include <stddef.h>

#include "facts/reason.h"

static const struct {
	const char *name, *why, *remedy;
} rows[REASONS] = {
#define REASON(NAME, name, why, remedy)					\
	[REASON_##NAME] = { name, why, sizeof(remedy) > 1 ? remedy : NULL },
#include "facts/reason.def"
};

static const struct reason reasons[REASONS] = {
#define REASON(NAME, name, why, remedy)					\
	[REASON_##NAME] = { REASON_##NAME,				\
	    sizeof(remedy) > 1 ? why " (" remedy ")" : why },
#include "facts/reason.def"
};

static const enum reason_code of_skip[SKIP_REASONS] = {
	[SKIP_NONE] = REASON_NO_COUNTERS,
#define REASON(...)
#define SKIPPED(NAME, ...) [SKIP_##NAME] = REASON_##NAME,
#include "facts/reason.def"
};

enum {
	SKIPS_WITH_ROW = 1	/* SKIP_NONE */
#define REASON(...)
#define SKIPPED(NAME, ...) + 1
#include "facts/reason.def"
};
_Static_assert(SKIPS_WITH_ROW == (int)SKIP_REASONS,
    "each SKIP_ of wire/record.h has its row SKIPPED in reason.def");

const struct reason *
reason_of(enum reason_code code)
{

	return &reasons[code];
}

const struct reason *
reason_skip(enum wire_skip skip)
{

	return reason_of((unsigned)skip < SKIP_REASONS ? of_skip[skip] :
	    REASON_NO_COUNTERS);
}

const char *
reason_name(const struct reason *r)
{

	return r != NULL ? rows[r->code].name : NULL;
}

const char *
reason_text(const struct reason *r)
{

	return r != NULL ? r->text : NULL;
}

const char *
reason_why(const struct reason *r)
{

	return rows[r->code].why;
}

const char *
reason_remedy(const struct reason *r)
{

	return rows[r->code].remedy;
}
