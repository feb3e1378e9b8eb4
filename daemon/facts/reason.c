#include "facts/reason.h"

const struct reason reason_row[REASONS] = {
#define REASON(NAME, name, why, remedy)					\
	[REASON_##NAME] = { REASON_##NAME, name,			\
	    sizeof(remedy) > 1 ? why " (" remedy ")" : why, why,	\
	    sizeof(remedy) > 1 ? remedy : NULL },
#include "facts/reason.def"
};

const struct reason *const reason_skip[SKIP_REASONS] = {
	[SKIP_NONE] = &reason_row[REASON_NO_COUNTERS],
#define REASON(...)
#define SKIPPED(NAME, ...) [SKIP_##NAME] = &reason_row[REASON_##NAME],
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
