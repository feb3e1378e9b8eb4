/*
 * rules/withhold.h: replays a capture without some of its records, as the
 * injection library would have sent it: without permission for counters, at a
 * lower level, if CUPTI refused a kind of records, or if records were lost.
 */
#ifndef TEST_WITHHOLD_H
#define TEST_WITHHOLD_H

struct error;
struct model;

enum withheld {
	HELD_COUNTERS,	/* the driver refused counters to this user */
	HELD_PERMISSION,/* and samples as well */
	HELD_LEVEL,	/* --level trace */
	HELD_DEFAULT,	/* --level counters */
	HELD_SOURCE,	/* --level source, but nothing was counted */
	HELD_SAMPLES,	/* PC sampling was refused */
	HELD_CODE,	/* no disassembler */
	HELD_CUBIN,	/* the code itself was withheld */
	HELD_KERNELS,	/* the program launched nothing */
	HELD_WORK,	/* and did not copy anything either */
	HELD_TRACE,	/* kernel tracing was refused */
	HELD_COPIES,	/* copy tracing was refused */
	HELD_CALLS,	/* callbacks on API calls were refused */
	HELD_MEMORY,	/* allocation tracing was refused */
	HELD_LOST,	/* all events' records were lost */
	HELD_ALL,	/* a process that sent only HELLO and BYE */
	HELD_KINDS
};

/* "counters" …: the names in expected.json. */
extern const char *const withheld_name[HELD_KINDS];

/* withhold_load(path, what, m, e): feed ${m} with what is left. 0 or -1. */
int withhold_load(const char *path, enum withheld what, struct model *m,
    struct error *e);

#endif
