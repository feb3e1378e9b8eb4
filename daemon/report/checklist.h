/*
 * report/checklist.h: the optimisation checklist, answered for one run: each
 * line is passed, failed, without gain (not as it should be, but changing it
 * would save nothing here) or not measured, by the rules' verdicts and by
 * measured facts. Pure; the table is checklist.def.
 */
#ifndef CADV_CHECKLIST_H
#define CADV_CHECKLIST_H

#include <stddef.h>

struct advice;
struct run;

enum check_state { CHECK_PASSED, CHECK_FAILED, CHECK_NO_GAIN, CHECK_NOT_MEASURED,
	CHECK_STATES };
extern const char *const check_state_name[CHECK_STATES];	/* "passed" … */

enum check_group {
#define CHECK_GROUP(name, id, title) CHECK_##name,
#define CHECK_LINE(group, id, title, facts, rests_on)
#include "report/checklist.def"
	CHECK_GROUPS
};

/* A measured value that a line rests on. */
struct check_fact {
	const char *name;	/* snake_case with its unit: "coalescing_ratio" */
	const char *label;	/* follows the value: "of the bytes moved were used" */
	double value;		/* NaN: not measured */
	const char *unit;	/* "ratio", "" of a count */
	double covered;		/* share of the time, bytes … for which it was
				 * measured, 0..1; NaN: does not apply */
	const char *of;		/* what that is a share of: "kernel time"; NULL */
	const struct reason *reason;	/* why there is no value; NULL */
	enum check_state state;	/* the line's state by this fact alone; at most
				 * CHECK_NO_GAIN if the line has rules */
};

/* The input of the facts. */
struct check_view {
	const struct run *run;
	const struct advice *advice;
};

/* fact(f, x): fill ${f}, which has NaN for numbers and is otherwise zero. A
 * fact without a value sets ${reason}. */
typedef void check_fact_function(struct check_fact *f,
    const struct check_view *x);

#define CHECK_FACTS_MAX 3

struct check_line {
	enum check_group group;
	const char *id, *title;
	check_fact_function *fact[CHECK_FACTS_MAX + 1];	/* NULL ends */
	const char *rests_on;	/* the rule without which it is not measured;
				 * NULL: its facts decide */
};
extern const struct check_line check_table[];
extern const size_t check_table_size;

struct check_group_info {
	const char *id, *title;
};
extern const struct check_group_info check_group_table[CHECK_GROUPS];

/* The answer to one line. */
struct check_answer {
	enum check_state state;
	const struct reason *reason;	/* for not measured; NULL */
	size_t checked, rules;	/* its rules, and how many of them were measured */
	size_t found, minor;	/* findings worth a change, and others */
	struct check_fact fact[CHECK_FACTS_MAX];
	size_t facts;
};

/* checklist_answer(a, line, x): fill ${a} for ${line}. */
void checklist_answer(struct check_answer *a, const struct check_line *line,
    const struct check_view *x);

/* checklist_has(line, rule): does ${rule} refine ${line}, by its row in rules.def? */
int checklist_has(const struct check_line *line, const char *rule);

#endif
